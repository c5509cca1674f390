// What a program for node says: a line of JSON for each claim, and `end` when it has come to its end.
const { inspect } = require("util");

const claim = (actual, expected, what) =>
  console.log(JSON.stringify({ what, actual: inspect(actual, { depth: 9 }), expected: inspect(expected, { depth: 9 }) }));

const raised = async (call) => {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return new Error("nothing was raised");
};

const text = async (stream) => {
  let said = "";
  for await (const piece of stream) said += piece;
  return said;
};

const program = (main) =>
  main().then(
    () => { console.log("end"); process.exit(0); },
    (error) => { console.error(error); process.exit(1); });

module.exports = { claim, raised, text, program };
