// Runs answers.js (the first argument) on a model and pieces of evidence (JSON on standard input); prints the answers.
const fs = require("fs");
const { model, evidence } = JSON.parse(fs.readFileSync(0, "utf8"));
const code = fs.readFileSync(process.argv[2], "utf8");
const { bucketsOf, answersOf } = new Function(code + "; return { bucketsOf, answersOf };")();
const buckets = bucketsOf(model);
console.log(JSON.stringify(evidence.map(row => answersOf(buckets, model.sizes, new Map(row)))));
