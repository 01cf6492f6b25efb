// What is shown: the data set, N, figures, curves, measures and smoothing that were picked.
const state = {measures: null, hidden: new Map()};  // hidden: by figure, the keys of curves
const EVERY = "every figure", NARROW = 700;
const width = () => pick("smoothing").value ? Number(pick("smoothing").value) : null;
const hidden = figure => state.hidden.get(figure.name) ?? new Set(figure.hidden);
const panels = figure => state.measures ?? figure.panels;

const here = () => figures.filter(figure => figure.dataset === pick("dataset").value && String(figure.N) === pick("N").value);
const shown = () => here().filter(figure => pick("figure").value === EVERY ? !figure.choice : figure.name === pick("figure").value);

function refill() {
  const sizes = distinct(figures.filter(figure => figure.dataset === pick("dataset").value).map(figure => String(figure.N)));
  options(pick("N"), sizes, sizes.map(N => Number(N).toLocaleString("en")));
  options(pick("figure"), [EVERY, ...here().map(figure => figure.name)], [EVERY, ...here().map(figure => figure.title)]);
}

function sample(curve) {
  const color = ink(curve.color, theme()), dash = {solid: "", dash: "7 3", dot: "2 2", dashdot: "7 2 2 2"}[curve.dash], solid = curve.dash === "solid";
  const shape = {square: "M-3.5-3.5h7v7h-7z", diamond: "M0-4.5L4.5 0L0 4.5L-4.5 0z", "triangle-up": "M0-4.5L4.5 3.5h-9z", "triangle-down": "M0 4.5L4.5-3.5h-9z",
    cross: "M-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z", x: "M-4-2L-2-4L0-2L2-4L4-2L2 0L4 2L2 4L0 2L-2 4L-4 2L-2 0z", circle: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z"}[curve.marker];
  return `<svg width="34" height="12" viewBox="-17 -6 34 12"><path d="M-17 0H17" stroke="${color}" stroke-width="2" stroke-dasharray="${dash}" fill="none"/><path d="${shape}" fill="${solid ? color : theme().paper}" stroke="${solid ? theme().paper : color}"/></svg>`;
}

function legend(figure, box) {
  const off = hidden(figure);
  box.replaceChildren(...figure.curves.map(curve => {
    const button = document.createElement("button");
    button.innerHTML = sample(curve);
    button.append(curve.legend);
    button.dataset.key = curve.key;
    button.setAttribute("aria-pressed", !off.has(curve.key));
    button.onclick = () => { const now = new Set(hidden(figure)); now.has(curve.key) ? now.delete(curve.key) : now.add(curve.key); hide(figure, now); };
    button.ondblclick = () => hide(figure, new Set(figure.curves.map(one => one.key).filter(key => key !== curve.key)));
    return button;
  }));
  const all = document.createElement("button");
  all.textContent = off.size ? "show all" : "hide all";
  all.className = "all";
  all.onclick = () => hide(figure, new Set(off.size ? [] : figure.curves.map(curve => curve.key)));
  if (figure.curves.length > 1) box.append(all);
}

function hide(figure, keys) {
  state.hidden.set(figure.name, keys);
  const article = document.querySelector(`[data-figure="${CSS.escape(figure.name)}"]`);
  legend(figure, article.querySelector(".legend"));
  plot(figure, article.querySelector(".plot"));
}

function plot(figure, box) {
  const across = box.clientWidth < NARROW ? 1 : Math.min(2, panels(figure).length), off = hidden(figure);
  box.dataset.across = across;
  return Plotly.react(box, traces(figure, panels(figure), width(), off, theme(), false), layout(figure, panels(figure), width(), off, theme(), across),
    {responsive: true, displaylogo: false, displayModeBar: false});
}

function table(figure) {  // every value of every seed that is shown, and the mean that is drawn
  const rows = [["dataset", "N", "curve", "measure", "task", "mean", "ci95", ...distinct(figure.curves.flatMap(curve => curves[curve.key].seeds)).map(seed => `seed${seed}`)]];
  const seeds = rows[0].slice(7), number = value => value === null || !Number.isFinite(value) ? "" : Number(value.toPrecision(7));
  for (const panel of panels(figure)) for (const curve of figure.curves.filter(one => !hidden(figure).has(one.key))) {
    const every = series(curve.key, panel), {mean, half} = band(every.map(row => smooth(row, width() ?? 1))), own = curves[curve.key];
    mean.forEach((value, task) => rows.push([own.dataset, own.N, curve.legend, panel, task, number(value), number(half[task]),
      ...seeds.map(seed => { const at = own.seeds.findIndex(one => `seed${one}` === seed); return at < 0 ? "" : number(every[at][task]); })]));
  }
  return csv(rows);
}

async function download(figure, kind) {
  if (kind === "csv") return save(`${figure.name}.csv`, table(figure), "text/csv");
  const drawn = printed(figure, panels(figure), width(), hidden(figure)), {width: wide, height} = drawn.layout;
  const address = await Plotly.toImage(drawn, {format: kind === "pdf" ? "svg" : kind, width: wide, height, scale: kind === "png" ? 2 : 1});
  const content = kind === "png" ? await (await fetch(address)).blob() : decodeURIComponent(address.slice(address.indexOf(",") + 1));
  return save(`${figure.name}.${kind}`, kind === "pdf" ? await pdf(content, wide, height) : content, {png: "image/png", svg: "image/svg+xml", pdf: "application/pdf"}[kind]);
}

function article(figure) {
  const made = document.createElement("article");
  made.className = "figure";
  made.dataset.figure = figure.name;
  made.innerHTML = "<h3></h3><p class=note></p><div class=legend></div><div class=plot></div><div class=downloads></div>";
  made.querySelector("h3").textContent = figure.title;
  made.querySelector(".note").textContent = figure.notes.join(" · ");
  legend(figure, made.querySelector(".legend"));
  for (const [kind, text] of [["csv", "Data (csv)"], ["png", "PNG"], ["pdf", "PDF"], ["svg", "SVG"]]) {
    const button = document.createElement("button");
    button.textContent = text;
    button.dataset.kind = kind;
    button.onclick = () => download(figure, kind);
    made.querySelector(".downloads").append(button);
  }
  return made;
}

const seen = new IntersectionObserver(found => {
  for (const {isIntersecting, target} of found) if (isIntersecting) { seen.unobserve(target); draw(target); }
}, {rootMargin: "600px"});
const draw = made => plot(figures.find(figure => figure.name === made.dataset.figure), made.querySelector(".plot"));

function show() {
  document.querySelectorAll("#plots .js-plotly-plot").forEach(box => Plotly.purge(box));
  const made = shown().map(article);
  document.getElementById("plots").replaceChildren(...made);
  made.forEach((one, at) => {
    const figure = figures.find(figure => figure.name === one.dataset.figure);
    one.querySelector(".plot").style.minHeight = layout(figure, panels(figure), 1, new Set(figure.curves.map(curve => curve.key)), theme(), innerWidth < NARROW ? 1 : 2).height + "px";
    at ? seen.observe(one) : draw(one);  // the first at once, the others when somebody comes near
  });
}

function redraw() {
  for (const made of document.querySelectorAll("#plots .figure")) {
    const figure = figures.find(one => one.name === made.dataset.figure);
    legend(figure, made.querySelector(".legend"));
    if (made.querySelector(".js-plotly-plot")) draw(made);
  }
  if (document.querySelector("#lifelines.js-plotly-plot")) lifelines();
}

function measuring() {
  const list = pick("measures").querySelector("div"), boxes = Object.entries(measures).map(([name, {title, meaning}]) => {
    const label = document.createElement("label"), box = document.createElement("input");
    box.type = "checkbox";
    box.value = name;
    label.title = meaning;
    label.append(box, ` ${title}`);
    return [label, box];
  });
  const usual = document.createElement("button");
  usual.textContent = "as printed";
  const mark = () => boxes.forEach(([, box]) => { box.checked = (state.measures ?? here()[0].panels).includes(box.value); });
  usual.onclick = () => { state.measures = null; mark(); show(); };
  for (const [, box] of boxes) box.onchange = () => {
    const chosen = boxes.filter(([, one]) => one.checked).map(([, one]) => one.value);
    state.measures = chosen.length ? chosen : null;
    mark();
    show();
  };
  list.append(...boxes.map(([label]) => label), usual);
  mark();
}

options(pick("dataset"), distinct(figures.map(figure => figure.dataset)), distinct(figures.map(figure => figure.cell.split(", N =")[0])));
pick("dataset").onchange = () => { refill(); show(); };
pick("N").onchange = () => { refill(); show(); };
pick("figure").onchange = show;
pick("smoothing").onchange = redraw;
addEventListener("resize", () => {
  for (const box of document.querySelectorAll("#plots .js-plotly-plot")) if ((box.clientWidth < NARROW) !== (box.dataset.across === "1")) draw(box.closest(".figure"));
});
const ready = unpack().then(() => { refill(); measuring(); show(); });
