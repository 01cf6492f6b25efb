// The units of one run: each a line from birth to death, darker where it fires more.
const FIRES = [[0, "#f3b8a0"], [0.003, "#f3b8a0"], [0.003, "#c9d9ea"], [0.04, "#b5cae0"], [0.25, "#7e9bc0"], [0.5, "#5376a4"], [1, "#08306b"]];  // never stands out
const DEATHS = ["#D55E00", "#CC79A7", "#E69F00", "#009E73", "#0072B2"];

function deaths(run) {  // a trace for each reason
  return distinct(run.died.map(([, , why]) => why)).map((why, at) => {
    const dead = run.died.filter(([, , own]) => own === why), said = plain(`died: ${why}`);
    return {type: "scatter", mode: "markers", name: said, x: dead.map(([when]) => when - 0.5), y: dead.map(([, unit]) => unit),
      marker: {symbol: "x-thin", size: 6, line: {width: 1.5, color: DEATHS[at % DEATHS.length]}}, customdata: dead.map(([when]) => Math.floor(when)),
      hovertemplate: `unit %{y}, task %{customdata}: ${said}<extra></extra>`, showlegend: true};
  });
}

async function lifelines() {
  const box = document.getElementById("lifelines"), run = lives[Number(pick("life").value)], colors = theme();
  const bytes = new Uint8Array(await unzipped(run.packed));
  const z = Array.from({length: run.units}, (_, unit) => Array.from(bytes.subarray(unit * run.tasks, (unit + 1) * run.tasks), value => value ? (value - 1) / 2.54 : null));
  const heat = {type: "heatmap", z, x0: 0, dx: 1, y0: 0, dy: 1, zmin: 0, zmax: 100, colorscale: FIRES, hoverongaps: false,
    hovertemplate: "unit %{y}, task %{x}: fires on %{z:.1f} %<extra></extra>", colorbar: {title: {text: "fires on % of samples", side: "right"}, thickness: 12, outlinewidth: 0}};
  const grid = {gridcolor: colors.grid, zeroline: false, linecolor: colors.axis, ticks: "outside", tickcolor: colors.axis, showline: true};
  await Plotly.react(box, [heat, ...deaths(run)], {height: 560, margin: {l: 62, r: 12, t: 12, b: 42}, paper_bgcolor: colors.paper, plot_bgcolor: colors.paper,
    font: {family: "Helvetica, Arial, Liberation Sans, sans-serif", size: 12.5, color: colors.ink}, legend: {orientation: "h", y: -0.1},
    xaxis: {...grid, title: {text: "Task", standoff: 4}, range: [-0.5, run.tasks - 0.5]}, yaxis: {...grid, title: {text: "Unit, by serial number"}, range: [-1, run.units]},
    dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom"}, {responsive: true, displaylogo: false, displayModeBar: false});
}

if (lives.length) {
  options(pick("life"), lives.map((_, at) => String(at)), lives.map(run => run.name));
  pick("life").onchange = lifelines;
  new IntersectionObserver((found, watching) => { if (found.some(one => one.isIntersecting)) { watching.disconnect(); lifelines(); } }, {rootMargin: "600px"}).observe(document.getElementById("lifelines"));
}
