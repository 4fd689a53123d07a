// ---- print: what is in sight, painted by the same strokes into an SVG picture, in the colours of paper
const sheet = document.getElementById("sheet");
function recorder(measure) {
  const round = value => Number(value.toFixed(2));
  let group = sheet, outline = "";
  function add(name, look) {
    const drawn = document.createElementNS(sheet.namespaceURI, name);
    for (const [key, value] of Object.entries(look)) drawn.setAttribute(key, value);
    group.append(drawn);
    return drawn;
  }
  const self = {
    globalAlpha: 1, lineWidth: 1, dashes: "none",
    setTransform(...matrix) { group = sheet; group = add("g", { transform: `matrix(${matrix.join(" ")})` }); },
    setLineDash(lengths) { self.dashes = lengths.join(" ") || "none"; },
    beginPath() { outline = ""; },
    moveTo(x, y) { outline += `M${round(x)},${round(y)}`; },
    lineTo(x, y) { outline += `L${round(x)},${round(y)}`; },
    rect(x, y, wide, high) { outline += `M${round(x)},${round(y)}h${round(wide)}v${round(high)}h${round(-wide)}Z`; },
    fill(d = outline) { if (d) add("path", { d, style: `fill: ${self.fillStyle}`, opacity: self.globalAlpha }); },
    stroke({ d } = { d: outline }) {
      const style = `fill: none; stroke: ${self.strokeStyle}; stroke-width: ${self.lineWidth}; stroke-dasharray: ${self.dashes}`;
      add("path", { d, style, opacity: self.globalAlpha });
    },
    fillRect(x, y, wide, high) { add("rect", { x, y, width: wide, height: high, style: `fill: ${self.fillStyle}`, opacity: self.globalAlpha }); },
    fillText(text, x, y) {
      const anchor = { left: "start", center: "middle", right: "end" }[self.textAlign];
      const style = `font: ${self.font}; fill: ${self.fillStyle}; text-anchor: ${anchor}`;
      const dy = self.textBaseline === "middle" ? "0.35em" : 0;
      add("text", { x, y, dy, style, opacity: self.globalAlpha }).textContent = text;
    },
    measureText(text) { measure.font = self.font; return measure.measureText(text); },
  };
  self.roundRect = self.rect;
  return self;
}
addEventListener("beforeprint", () => {
  const held = [pen, ink, legible];
  // The style of the page holds the colours of paper, and a reader of the picture may enlarge it.
  [pen, ink, legible] = [recorder(pen), new Proxy({}, { get: (_, name) => `var(--${name})` }), 0];
  sheet.replaceChildren(); forgetNames(); paint();
  [pen, ink, legible] = held;
  forgetNames();
  const ratio = devicePixelRatio || 1, edge = 16, x0 = Math.max(0, left * scale + shiftX - edge), y0 = Math.max(0, top_ * scale + shiftY - edge);
  const x1 = Math.min(wide, right * scale + shiftX + edge), y1 = Math.min(high, bottom * scale + shiftY + edge);
  sheet.setAttribute("viewBox", [x0, y0, x1 - x0, y1 - y0].map(value => value * ratio).join(" "));
});
addEventListener("afterprint", () => sheet.replaceChildren());
