// A client of pintle: types, requests, events, and session state, in one file without dependencies.
//
// Generated from protocol/src and protocol/bin/generate/typescript by `cargo run -p pintle-protocol --bin generate`; copy it into your project.
// It imports nothing and runs in Node 20.16 or later; all but `Client.spawn` also runs in a browser.
//
//     const engine = Client.spawn(["pintle", "serve"]);
//     await engine.initialize("my-client", "1.0", { approvals: {} });
//     engine.on("approval/request", async () => ({ optionId: "allow" }));
//     const session = await engine.create();
//     await engine.request("turn/start", { input: [{ type: "text", text: "Fix the typo." }] });
//     for await (const record of engine.records()) {
//       session.apply(record);
//       if (session.turn !== undefined && session.turn.status !== "running") break;
//     }
