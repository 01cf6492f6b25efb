// The comparison with the field: what was picked, drawn from the contestants' results on fresh seeds.
const {groups, sensitivity} = JSON.parse(document.getElementById("data").textContent);
const PICKED = ["cell", "match", "growth", "regime"];
const COSTS = {connections: "Connections", work: "Operations per task"};
const FAR = 4;  // times as large: then the axis is logarithmic
const box = name => document.getElementById(name);
const group = () => groups.find(one => PICKED.every(name => one[name] === pick(name).value));
const about = row => `<b>${plain(row.title)}</b><br>${row.accuracy.mean.toFixed(2)} ± ${row.accuracy.half?.toFixed(2) ?? "–"} %<br>step size ${row.step_size}<br>${plain(row.setting)}`;

function refill() {  // each list has what is there under the ones before it
  PICKED.forEach((name, at) => {
    const there = groups.filter(one => PICKED.slice(0, at).every(before => one[before] === pick(before).value));
    options(pick(name), distinct(there.map(one => one[name])));
  });
}

function look(height, more) {
  const colors = theme(), grid = {gridcolor: colors.grid, zeroline: false, linecolor: colors.axis, ticks: "outside", tickcolor: colors.axis, showline: true};
  const {xaxis, yaxis, ...rest} = more;
  return {height, margin: {l: 62, r: 12, t: 8, b: 42}, paper_bgcolor: colors.paper, plot_bgcolor: colors.paper, showlegend: false, hovermode: "closest",
    font: {family: "Helvetica, Arial, Liberation Sans, sans-serif", size: 12.5, color: colors.ink}, dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
    hoverlabel: {bgcolor: colors.paper, bordercolor: colors.grid, font: {size: 11.5, color: colors.ink}, align: "left"}, xaxis: {...grid, ...xaxis}, yaxis: {...grid, ...yaxis}, ...rest};
}

function draw(box, data, layout) {  // a box without a height of its own would lose it when the window changes
  box.style.height = `${layout.height}px`;
  return Plotly.react(box, data, layout, {responsive: true, displaylogo: false, displayModeBar: false});
}

function ranking(rows) {
  const names = rows.map((row, at) => `${plain(row.title)}  ${at + 1}`), colors = rows.map(row => ink(row.color, theme()));
  const points = {type: "scatter", mode: "markers", x: rows.map(row => row.accuracy.mean), y: names, marker: {size: 8, color: colors}, text: rows.map(about), hovertemplate: "%{text}<extra></extra>"};
  const bars = rows.map((row, at) => ({type: "scatter", mode: "lines", hoverinfo: "skip", x: [-1, 1].map(side => row.accuracy.mean + side * (row.accuracy.half ?? 0)), y: [names[at], names[at]], line: {color: colors[at], width: 2}}));
  const axes = {xaxis: {title: {text: "Accuracy over all tasks (%)", standoff: 4}}, yaxis: {autorange: "reversed", automargin: true, type: "category"}};
  return draw(box("ranking"), [...bars, points], look(60 + 24 * rows.length, axes));
}

function against(rows, cost) {
  const points = {type: "scatter", mode: "markers+text", x: rows.map(row => row.sizes[cost]), y: rows.map(row => row.accuracy.mean), text: rows.map((_, at) => String(at + 1)), textposition: "top right",
    textfont: {size: 10.5}, marker: {size: 8, color: rows.map(row => ink(row.color, theme()))}, customdata: rows.map(about), hovertemplate: `%{customdata}<br>%{x:,.0f} ${COSTS[cost].toLowerCase()}<extra></extra>`};
  const front = rows.filter(row => row.best[cost]).sort((a, b) => a.sizes[cost] - b.sizes[cost]);
  const steps = {type: "scatter", mode: "lines", hoverinfo: "skip", x: front.map(row => row.sizes[cost]), y: front.map(row => row.accuracy.mean), line: {shape: "hv", color: theme().axis, width: 1.2}};
  const sizes = rows.map(row => row.sizes[cost]), far = Math.max(...sizes) > FAR * Math.min(...sizes), scale = far ? {type: "log", dtick: "D2"} : {};
  const axes = {xaxis: {...scale, tickformat: "~s", title: {text: COSTS[cost], standoff: 4}}, yaxis: {title: {text: "Accuracy (%)"}}};
  return draw(box(`against-${cost}`), [steps, points], look(360, axes));
}

function lines(at, rows, series, label) {
  const drawn = rows.flatMap(row => {
    const {mean, half} = row[series], tasks = mean.map((_, task) => task), color = ink(row.color, theme());
    const shared = {type: "scatter", mode: "lines", x: tasks, legendgroup: row.title, hoverinfo: "skip", showlegend: false, line: {width: 0}};
    const side = sign => mean.map((value, task) => half[task] === null ? null : value + sign * half[task]);
    return [{...shared, y: side(-1)}, {...shared, y: side(1), fill: "tonexty", fillcolor: faded(color, 0.1)},
      {...shared, y: mean, name: plain(row.title), showlegend: true, hoverinfo: "all", line: {color, dash: row.dash, width: 1.6}, hovertemplate: "task %{x}: %{y:.2f}"}];
  });
  const narrow = box(at).clientWidth < 700, legend = {tracegroupgap: 0, ...(narrow ? {orientation: "h", y: -0.2} : {})};
  const axes = {xaxis: {title: {text: "Task", standoff: 4}}, yaxis: {title: {text: label}}, showlegend: true, legend};
  return draw(box(at), drawn, look(60 + 24 * Math.max(15, rows.length) + (narrow ? 240 : 0), axes));
}

function panel(one) {
  const made = document.createElement("article"), plot = document.createElement("div");
  made.className = "figure";
  made.innerHTML = "<h3></h3>";
  made.querySelector("h3").textContent = `${one.title}: ${one.key}`;
  made.append(plot);
  const points = {type: "scatter", mode: "markers", x: one.points.map(point => String(point.value)), y: one.points.map(point => point.accuracy), marker: {size: 5, color: theme().axis},
    text: one.points.map(point => plain(`${point.setting} step_size=${point.step_size}`)), hovertemplate: "%{y:.2f} %<br>%{text}<extra></extra>"};
  const best = {type: "scatter", mode: "lines", hoverinfo: "skip", x: one.best.map(([value]) => String(value)), y: one.best.map(([, accuracy]) => accuracy), line: {color: "#0072B2", width: 1.6}};
  return [made, () => draw(plot, [best, points], look(200, {margin: {l: 40, r: 8, t: 4, b: 28}, xaxis: {type: "category"}, yaxis: {range: one.range}}))];
}

function settings() {
  const there = sensitivity.filter(one => one.cell === pick("cell").value), made = there.map(panel);
  box("panels").replaceChildren(...made.map(([article]) => article));
  return Promise.all(made.map(([, draw]) => draw()));
}

function narrowed() {  // the tables' own lists follow what was picked
  for (const table of document.querySelectorAll("section[data-table]"))
    for (const list of table.querySelectorAll(".tools select"))
      for (const name of PICKED) if (list.getAttribute("aria-label") === pick(name).dataset.column) { list.value = pick(name).value; list.onchange(); }
}

async function redraw() {
  const {rows} = group(), gap = rows.filter(row => row.gap);
  box("gap-figure").hidden = !gap.length;
  await Promise.all([ranking(rows), against(rows, "connections"), against(rows, "work"), lines("over-tasks", rows, "tasks", "Accuracy (%)"),
    gap.length && lines("gap", gap, "gap", "Points"), settings()]);
}

for (const [name, column] of [["cell", "data"], ["match", "equal in"], ["growth", "to an AEN with"], ["regime", "step sizes"]]) {
  pick(name).dataset.column = column;
  pick(name).onchange = () => { refill(); narrowed(); redraw(); };
}
refill();
narrowed();
const ready = redraw();
