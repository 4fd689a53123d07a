// ---- words: the panel, and what resting on a box tells
const element = (name, text = "") => Object.assign(document.createElement(name), { textContent: text });
const number = value => value.toLocaleString("en", { maximumFractionDigits: 2 });
function scoreText(v) {
  const score = net.scores[v];
  if (score === null) return "";
  const share = net.total ? ` (${number(100 * score / net.total)} % of the total)` : "";
  return `local score ${number(score)}${share}`;
}
const statesText = v => net.states[v]
  ? `${net.states[v].length} states: ${net.states[v].slice(0, 24).join(", ")}${net.states[v].length > 24 ? ", ..." : ""}` : "";
const screenedText = v => screened.has(v) ? "attached by screening" : "";
function list(title, colour, members) {
  if (!members.length) return;
  const head = element("h3", `${title} (${members.length})`), mark = element("i");
  mark.style.background = ink[colour]; head.prepend(mark); facts.append(head);
  inLine(members, v => colour === "parent" ? sureText(v, chosen) : colour === "child" ? sureText(chosen, v) : "");
}
// Variables with commas between them; lines end behind commas.
function inLine(members, noteOn) {
  members.forEach((v, i) => {
    const item = element("span");
    item.className = "item"; item.append(linkTo(v), noteOn(v) + (i < members.length - 1 ? "," : "")); facts.append(item, " ");
  });
}
function linkTo(v) {
  return Object.assign(element("button", net.names[v]), { className: "link", onclick: () => choose(v, true) });
}
// Where nothing is chosen: the variables with the most arcs, and the arcs of the highest probability.
const MOST_TOLD = 12;
function overview() {
  const joined = net.names.map((_, v) => v).filter(degree).sort((a, b) => degree(b) - degree(a)).slice(0, MOST_TOLD);
  if (joined.length) facts.append(element("h3", "Most arcs"));
  inLine(joined, v => ` (${degree(v)})`);
  if (!isWeighted) return;
  facts.append(element("h3", "Strongest arcs"));
  for (const { from, to, loose } of arcs.slice().sort((a, b) => b.either - a.either || b.sure - a.sure).slice(0, MOST_TOLD)) {
    const line = element("div");
    line.append(linkTo(from), loose ? " \u2013 " : " \u2192 ", linkTo(to), sureText(from, to)); facts.append(line);
  }
}
function tell() {
  const held = facts.contains(document.activeElement) ? document.activeElement.dataset : null;
  facts.replaceChildren();
  chosen < 0 ? overview() : describe();
  // Whoever came here by the keyboard stays at the state, or begins at the top of what is told now.
  if (held) (held.state && facts.querySelector(`[data-state="${held.state}"]`) || facts.firstElementChild)?.focus();
}
function describe() {
  facts.append(Object.assign(element("h2", net.names[chosen]), { tabIndex: -1 }));
  for (const text of [marginals ? "" : statesText(chosen), scoreText(chosen), screenedText(chosen)]) if (text) facts.append(element("p", text));
  if (marginals) {
    facts.append(element("h3", findings.size ? "Probabilities given the findings" : "Probabilities"), barList(chosen));
    if (given.tables) facts.append(tableOf(chosen));
  }
  const loose = new Set(arcs.filter(a => a.loose && (a.to === chosen || a.from === chosen)).map(a => a.to + a.from - chosen));
  list("Parents", "parent", parents[chosen]);
  list("Children", "child", children[chosen].filter(v => !loose.has(v)));
  list("Neighbours either way", "child", [...loose]);
  list("Children's other parents", "spouse", [...role].filter(([, part]) => part === "spouse").map(([v]) => v));
}
function rest(v, x, y) {
  tip.hidden = v < 0;
  canvas.classList.toggle("over", v >= 0);
  if (v < 0) return;
  const names = (list, sure) => list.slice(0, 12).map(u => net.names[u] + sure(u)).join(", ")
    + (list.length > 12 ? `, ... (${list.length})` : "") || "none";
  tip.replaceChildren(element("b", net.names[v]));
  for (const text of [`parents: ${names(parents[v], u => sureText(u, v))}`, `children: ${names(children[v], u => sureText(v, u))}`, statesText(v), scoreText(v), screenedText(v)])
    if (text) tip.append(element("div", text));
  tip.style.left = Math.max(4, Math.min(x + 14, wide - tip.offsetWidth - 6)) + "px";
  tip.style.top = (y + 18 + tip.offsetHeight > high ? Math.max(4, y - tip.offsetHeight - 10) : y + 18) + "px";
}

