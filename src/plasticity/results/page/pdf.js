// A drawing that the browser has as SVG, as a PDF of one page: lines stay lines and text stays text.
const WINDOWS = {"–": 150, "—": 151, "…": 133, "•": 149, "‘": 145, "’": 146, "“": 147, "”": 148, "−": 45, "€": 128};
const short = number => String(Math.round(number * 1000) / 1000);

function letters(text) {  // in the encoding of PDF's own fonts
  return [...text].map(letter => {
    const code = WINDOWS[letter] ?? letter.codePointAt(0);
    return code > 255 ? "?" : code < 32 || code > 126 || "()\\".includes(letter) ? "\\" + code.toString(8).padStart(3, "0") : String.fromCharCode(code);
  }).join("");
}

function arc(x0, y0, rx, ry, turn, large, sweep, x, y) {  // as cubic curves (SVG 1.1, appendix F.6)
  const phi = turn * Math.PI / 180, cos = Math.cos(phi), sin = Math.sin(phi), dx = (x0 - x) / 2, dy = (y0 - y) / 2;
  const px = cos * dx + sin * dy, py = -sin * dx + cos * dy, grow = Math.max(1, Math.hypot(px / rx, py / ry));
  rx *= grow, ry *= grow;
  const under = Math.max(0, (rx * rx * ry * ry - rx * rx * py * py - ry * ry * px * px) / (rx * rx * py * py + ry * ry * px * px));
  const root = Math.sqrt(under) * (large === sweep ? -1 : 1), qx = root * rx * py / ry, qy = -root * ry * px / rx;
  const cx = cos * qx - sin * qy + (x0 + x) / 2, cy = sin * qx + cos * qy + (y0 + y) / 2;
  const from = Math.atan2((py - qy) / ry, (px - qx) / rx), to = Math.atan2((-py - qy) / ry, (-px - qx) / rx);
  let sweepBy = to - from;
  if (sweep && sweepBy < 0) sweepBy += 2 * Math.PI;
  if (!sweep && sweepBy > 0) sweepBy -= 2 * Math.PI;
  const parts = Math.ceil(Math.abs(sweepBy) / (Math.PI / 2)) || 1, step = sweepBy / parts, k = 4 / 3 * Math.tan(step / 4), found = [];
  const point = (a, b) => [cx + rx * a * cos - ry * b * sin, cy + rx * a * sin + ry * b * cos];
  for (let part = 0, at = from; part < parts; part++, at += step) {
    const [c, s, d, t] = [Math.cos(at), Math.sin(at), Math.cos(at + step), Math.sin(at + step)];
    found.push([...point(c - k * s, s + k * c), ...point(d + k * t, t - k * d), ...point(d, t)]);
  }
  return found;
}

function path(d) {
  const tokens = d.match(/[a-zA-Z]|-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/g) ?? [], found = [];
  let at = 0, command = "", x = 0, y = 0, startX = 0, startY = 0;
  const number = () => Number(tokens[at++]), say = (...words) => found.push(words.map(word => typeof word === "number" ? short(word) : word).join(" "));
  while (at < tokens.length) {
    if (/[a-zA-Z]/.test(tokens[at])) command = tokens[at++];
    const relative = command === command.toLowerCase(), baseX = relative ? x : 0, baseY = relative ? y : 0, kind = command.toUpperCase();
    if (kind === "Z") { say("h"); [x, y] = [startX, startY]; command = ""; continue; }
    if (kind === "M" || kind === "L") {
      [x, y] = [baseX + number(), baseY + number()];
      if (kind === "M") { [startX, startY] = [x, y]; command = relative ? "l" : "L"; }
      say(x, y, kind === "M" ? "m" : "l");
    } else if (kind === "H") { x = baseX + number(); say(x, y, "l"); }
    else if (kind === "V") { y = baseY + number(); say(x, y, "l"); }
    else if (kind === "C") {
      const [a, b, c, e, f, g] = [0, 1, 2, 3, 4, 5].map(turn => (turn % 2 ? baseY : baseX) + number());
      say(a, b, c, e, f, g, "c"); [x, y] = [f, g];
    } else if (kind === "A") {
      const [rx, ry, turn, large, sweep] = [number(), number(), number(), number(), number()], toX = baseX + number(), toY = baseY + number();
      for (const curve of arc(x, y, rx, ry, turn, large, sweep, toX, toY)) say(...curve, "c");
      [x, y] = [toX, toY];
    } else throw new Error(`a path has ${command}, which no PDF is made of here`);
  }
  return found;
}

class Writer {
  constructor() { this.out = []; this.alphas = []; }

  paint(style, alpha) {  // sets colours; how the outline is finished
    const color = text => (text.match(/[\d.]+/g) ?? []).map(Number);
    const solid = text => text !== "none" && color(text).length >= 3 && color(text)[3] !== 0;
    const fills = solid(style.fill) && Number(style.fillOpacity) > 0, strokes = solid(style.stroke) && parseFloat(style.strokeWidth) > 0 && Number(style.strokeOpacity) > 0;
    const rgb = text => color(text).slice(0, 3).map(part => short(part / 255)).join(" ");
    const shade = (text, own) => alpha * Number(own) * (color(text)[3] ?? 1);
    if (fills || strokes) this.out.push(this.state(fills ? shade(style.fill, style.fillOpacity) : 1, strokes ? shade(style.stroke, style.strokeOpacity) : 1));
    if (fills) this.out.push(rgb(style.fill) + " rg");
    if (strokes) {
      const dashes = style.strokeDasharray === "none" ? [] : style.strokeDasharray.match(/[\d.]+/g) ?? [];
      this.out.push(`${rgb(style.stroke)} RG ${short(parseFloat(style.strokeWidth))} w [${dashes.join(" ")}] 0 d 1 j`);
    }
    return fills ? strokes ? "B" : "f" : strokes ? "S" : "n";
  }

  state(fill, stroke) {
    const text = `/ca ${short(fill)} /CA ${short(stroke)}`;
    if (!this.alphas.includes(text)) this.alphas.push(text);
    return `/G${this.alphas.indexOf(text)} gs`;
  }

  text(element, alpha) {
    for (const node of element.childNodes) {
      if (node.nodeType === Node.ELEMENT_NODE) this.text(node, alpha);
      else if (node.nodeType === Node.TEXT_NODE && node.data.trim()) {
        const owner = element.closest("text"), before = document.createRange(), style = getComputedStyle(element);
        before.setStart(owner, 0), before.setEnd(node, 0);
        const at = owner.getStartPositionOfChar(before.toString().length), font = Number(style.fontWeight) >= 600 ? "F2" : "F1";
        this.paint({...flat(style), stroke: "none"}, alpha);
        this.out.push(`BT /${font} ${short(parseFloat(style.fontSize))} Tf 1 0 0 -1 ${short(at.x)} ${short(at.y)} Tm (${letters(node.data)}) Tj ET`);
      }
    }
  }

  draw(element, alpha) {
    const style = getComputedStyle(element), kind = element.tagName;
    if (style.display === "none" || style.visibility === "hidden" || ["defs", "clipPath", "title", "style"].includes(kind)) return;
    alpha *= Number(style.opacity);
    this.out.push("q");
    const move = element.transform?.baseVal.consolidate()?.matrix;
    if (move) this.out.push([move.a, move.b, move.c, move.d, move.e, move.f].map(short).join(" ") + " cm");
    const clip = /#([^"')]+)/.exec(element.getAttribute("clip-path") ?? ""), area = clip && element.ownerSVGElement.getElementById(clip[1])?.querySelector("rect");
    if (area) this.out.push(`${box(area)} re W n`);
    if (kind === "path") { const end = this.paint(style, alpha); this.out.push(...path(element.getAttribute("d") ?? ""), end); }
    else if (kind === "rect") { const end = this.paint(style, alpha); this.out.push(`${box(element)} re`, end); }
    else if (kind === "text") this.text(element, alpha);
    else for (const child of element.children) this.draw(child, alpha);
    this.out.push("Q");
  }
}

const flat = style => ({fill: style.fill, fillOpacity: style.fillOpacity, strokeWidth: "0", strokeOpacity: "1", strokeDasharray: "none"});
const box = area => ["x", "y", "width", "height"].map(name => short(area[name].baseVal.value)).join(" ");

async function pdf(svg, width, height) {
  const holder = document.createElement("div");
  holder.style.cssText = "position:absolute;left:-9999px;top:0;width:0;height:0;overflow:hidden";
  holder.innerHTML = svg;
  document.body.append(holder);
  const writer = new Writer();
  try { for (const child of holder.firstElementChild.children) writer.draw(child, 1); } finally { holder.remove(); }
  const scale = 0.75, drawn = `${scale} 0 0 ${-scale} 0 ${short(height * scale)} cm\n${writer.out.join("\n")}`;
  const squeezed = new Blob([drawn]).stream().pipeThrough(new CompressionStream("deflate"));
  const content = new Uint8Array(await new Response(squeezed).arrayBuffer());
  const states = writer.alphas.map((alpha, at) => `/G${at} <<${alpha}>>`).join(" "), size = `[0 0 ${short(width * scale)} ${short(height * scale)}]`;
  const font = name => `<</Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding>>`;
  const bodies = ["<</Type /Catalog /Pages 2 0 R>>", "<</Type /Pages /Kids [3 0 R] /Count 1>>",
    `<</Type /Page /Parent 2 0 R /MediaBox ${size} /Contents 4 0 R /Resources <</Font <</F1 5 0 R /F2 6 0 R>> /ExtGState <<${states}>>>>>>`,
    [`<</Length ${content.length} /Filter /FlateDecode>>\nstream\n`, content, "\nendstream"], font("Helvetica"), font("Helvetica-Bold")];
  const parts = ["%PDF-1.4\n"], places = [];
  const length = () => parts.reduce((sum, part) => sum + part.length, 0);
  bodies.forEach((body, at) => { places.push(length()); parts.push(`${at + 1} 0 obj\n`, ...[body].flat(), "\nendobj\n"); });
  const start = length(), table = places.map(at => `${String(at).padStart(10, "0")} 00000 n \n`).join("");
  parts.push(`xref\n0 ${bodies.length + 1}\n0000000000 65535 f \n${table}trailer\n<</Size ${bodies.length + 1} /Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`);
  return new Blob(parts, {type: "application/pdf"});
}
