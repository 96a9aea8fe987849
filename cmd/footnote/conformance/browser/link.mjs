// Opens links in Chromium, as a person who clicks on them, and prints what became of
// each: the status and type of the answer, and the name and hash of what was saved.
import crypto from "node:crypto";
import fs from "node:fs";
import { chromium } from "playwright-core";

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
const opened = [];
for (const link of process.argv.slice(2)) {
  const context = await browser.newContext({ acceptDownloads: true });
  const page = await context.newPage();
  const answer = page.waitForResponse((r) => r.request().isNavigationRequest());
  const saved = page.waitForEvent("download", { timeout: 10_000 }).catch(() => undefined);
  const shown = page.goto(link).then(() => true, () => false); // a download ends the navigation
  const response = await answer;
  const result = { status: response.status(), type: response.headers()["content-type"] };
  if (!(await shown)) {
    const download = await saved;
    if (download) {
      result.name = download.suggestedFilename();
      result.sha256 = crypto.createHash("sha256").update(fs.readFileSync(await download.path())).digest("hex");
    }
  }
  opened.push(result);
  await context.close();
}
await browser.close();
console.log(JSON.stringify(opened));
