// The viewer holds the picture that it shows, and no other.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { ask, browser, visit } from "./browser.mjs";

after(() => browser.close());

test("pages that were looked at are not kept as pictures", async (t) => {
  const { data } = await ask("GET", "/v1.0/assistants/handbook/documents");
  const document = data.find((d) => d.pages > 2);
  const page = await visit(t, { at: "/" });
  await page.addInitScript(() => {
    globalThis.open_pictures = 0;
    const make = globalThis.createImageBitmap;
    globalThis.createImageBitmap = async (...a) => { const made = await make(...a); globalThis.open_pictures++; return made; };
    const close = ImageBitmap.prototype.close;
    ImageBitmap.prototype.close = function () { globalThis.open_pictures--; close.call(this); };
  });
  await page.goto(new URL(`/documents/${document.id}?page=1`, page.url()).href);
  await page.locator("canvas").waitFor();
  for (let n = 2; n <= document.pages; n++) {
    await page.getByRole("button", { name: "Next page" }).click();
    await page.getByLabel(new RegExp(`^Page of .* ${n}$`)).waitFor();
  }
  for (let n = 0; n < 4; n++) await page.getByRole("button", { name: "Larger" }).click();
  await page.waitForFunction(() => globalThis.open_pictures === 1);
  assert.equal(await page.evaluate(() => globalThis.open_pictures), 1);
});
