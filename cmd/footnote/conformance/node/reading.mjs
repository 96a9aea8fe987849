// What a client lets its user read of an answer, under the names of the wire
// and in the form that the Go tests read: see reading_test.go.

const call = ({ id, name, arguments: given }) => ({ id, name, arguments: given });

// ofCompletion reads a completion as it came, or what a helper put together.
export const ofCompletion = (completion) => {
  const { message } = completion.choices[0];
  return {
    text: message.content ?? "",
    tools: (message.tool_calls ?? []).map(({ id, function: f }) => call({ id, ...f })),
    ...around(completion),
    ...beside(message),
  };
};

// around is what stands beside the choices, beside what stands in a message or a delta.
const around = ({ citations, search_results }) => ({ citations, search_results });
const beside = ({ annotations, context, citations }) => ({ annotations, context, in_message: citations });

const defined = (members) => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

// ofBody reads what a framework does not know, from the JSON that it passes on.
export const ofBody = (body) => ({ ...around(body), ...beside(body.choices[0].message) });

// A Reader reads the chunks of a stream, as many as the client passes on. A
// chunk without choices would end it.
export class Reader {
  reading = { text: "", tools: [] };

  add(chunk) {
    const { reading } = this;
    Object.assign(reading, defined(around(chunk)));
    if (chunk.citation !== undefined) {
      (reading.events ??= []).push(chunk.citation);
    }
    for (const { delta } of chunk.choices) {
      const { annotations, ...once } = beside(delta);
      Object.assign(reading, defined(once));
      if (annotations) {
        reading.annotations = [...(reading.annotations ?? []), ...annotations];
      }
      reading.text += delta.content ?? "";
      for (const { index, id, function: f } of delta.tool_calls ?? []) {
        const known = (reading.tools[index] ??= { id, name: f.name, arguments: "" });
        known.arguments += f.arguments ?? "";
      }
    }
  }

  // unknown is what the chunks have beside what every framework reads itself.
  get unknown() {
    const { text, tools, ...unknown } = this.reading;
    return unknown;
  }
}

// located slices the text where markers and annotations say that they stand, by
// the unit that the citations name.
export const located = (reading) => {
  const slice =
    reading.citations?.offset_unit === "utf16"
      ? (start, end) => reading.text.slice(start, end)
      : (start, end) => [...reading.text].slice(start, end).join("");
  return {
    ...reading,
    marked: reading.citations?.markers?.map(({ start, end }) => slice(start, end)),
    noted: reading.annotations?.map(({ url_citation: { start_index, end_index } }) => slice(start_index, end_index)),
  };
};

// raised is what an error shows: one that was thrown, or that is a part of a
// stream. Classes of bundles are named by their names.
const raised = (error) => ({
  class: error.name?.startsWith("AI_") ? error.name : error.constructor.name,
  message: error.error?.message ?? error.message ?? String(error),
});

// Few ask at once: fetch gives up a connection that takes ten seconds, which
// hundreds at once may on a busy machine.
let free = 16;
const waiting = [];

async function inTurn(ask) {
  if (free > 0) {
    free--;
  } else {
    await new Promise((begin) => waiting.push(begin));
  }
  try {
    return await ask();
  } finally {
    const next = waiting.shift();
    if (next) {
      next();
    } else {
      free++;
    }
  }
}

// scenarios asks every case in every format and way, by the model's name. What
// was read before an error stays.
export const scenarios = (client, ways) => {
  const { HOST, FORMATS, CASES } = process.env;
  const found = {};
  for (const format of FORMATS.split(",")) {
    for (const name of CASES.split(",")) {
      for (const [way, ask] of Object.entries(ways)) {
        const model = `${name}/${format}/${client}/${way}`;
        const question = { model, baseURL: `${HOST}/assistants/${format}/v1`, tools: name === "tools" };
        found[model] = async () => {
          const reader = new Reader();
          try {
            const rest = await inTurn(() => ask(question, reader));
            return located({ ...reader.reading, ...rest });
          } catch (error) {
            return { ...reader.reading, error: raised(error) };
          }
        };
      }
    }
  }
  return found;
};
