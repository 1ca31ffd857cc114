/** Loaded before main.ts: at SIGUSR2 something fails that nobody catches, as FAULT says. */
import { EventEmitter } from "node:events";

const FAULTS: Readonly<Record<string, () => void>> = {
  "a timer": () =>
    void setTimeout(() => {
      throw new Error("a timer failed at https://user:secret@upstream.example/?key=secret");
    }),
  "a promise": () => void Promise.reject(new Error("a promise failed")),
  "an emitter": () => void setTimeout(() => new EventEmitter().emit("error", new Error("an emitter failed"))),
  "a text": () => void Promise.reject("a text was thrown"),
  "a storm": () => {
    for (let nth = 0; nth < 100; nth++) Promise.reject(new Error("a storm failed"));
  },
};

Deno.addSignalListener("SIGUSR2", () => FAULTS[Deno.env.get("FAULT") ?? ""]?.());
