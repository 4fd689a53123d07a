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
  members.forEach((v, i) => {
    const link = element("a", net.names[v]);
    link.onclick = () => choose(v, true);
    facts.append(link, colour === "parent" ? sureText(v, chosen) : colour === "child" ? sureText(chosen, v) : "", i < members.length - 1 ? ", " : "");
  });
}
function tell() {
  facts.replaceChildren();
  if (chosen < 0) return;
  facts.append(element("h2", net.names[chosen]));
  for (const text of [statesText(chosen), scoreText(chosen), screenedText(chosen)]) if (text) facts.append(element("p", text));
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

