import { mount } from "svelte";
import "./app.css";
import App from "./App.svelte";
import { followOtherTabs, onSessionEnd, takeKeyFromAddress } from "./api/session.svelte";
import { forget } from "./lib/resource.svelte";
import { screenAt, screens } from "./screens";

onSessionEnd(() => { forget(""); });
followOtherTabs();
takeKeyFromAddress();
// The screen is loaded beside the list of assistants, not after it. If that fails, the screen's place says so.
const screen = screenAt(location.pathname.split("/").filter(Boolean));
if (screen) screens[screen]().catch(() => undefined);
const target = document.getElementById("app");
if (target) mount(App, { target });
