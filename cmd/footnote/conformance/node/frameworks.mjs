// The frameworks and the formats of citations.

import langchain from "./langchain.mjs";
import llamaindex from "./llamaindex.mjs";
import vercel from "./vercel.mjs";

export default () => ({ ...vercel(), ...langchain(), ...llamaindex() });
