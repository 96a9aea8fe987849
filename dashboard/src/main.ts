import { mount } from "svelte";
import "./app.css";
import App from "./App.svelte";
import { takeKeyFromAddress } from "./api/session.svelte";

takeKeyFromAddress();
const target = document.getElementById("app");
if (target) mount(App, { target });
