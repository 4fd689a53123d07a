// Runs answers.js (the first argument) on a model and questions (JSON on standard input); prints the answers.
const fs = require("fs");
const { model, questions, most } = JSON.parse(fs.readFileSync(0, "utf8"));
const code = fs.readFileSync(process.argv[2], "utf8").replace(/MOST_CELLS = \S+;/, `MOST_CELLS = ${most};`);
const { answersOf } = new Function(code + "; return { answersOf };")();
console.log(JSON.stringify(questions.map(([evidence, wanted]) => answersOf(model, new Map(evidence), wanted))));
