// A figure as Plotly has it.
const MARKED = 8;  // markers per curve
const place = value => value === null ? null : value <= 1 ? constants.linear * value : constants.linear + Math.log10(value);
const digits = measure => measures[measure].scale === 100 ? ".2f" : measures[measure].size ? ",.1f" : ".4~g";

function mark(curve, theme) {  // among noise a dash cannot be told from a line: its markers are hollow
  const color = ink(curve.color, theme), solid = curve.dash === "solid";
  return {symbol: curve.marker, size: 7, color: solid ? color : theme.paper, line: {color: solid ? theme.paper : color, width: 1.2}};
}

function traces(figure, panels, width, hidden, theme, legend) {
  const found = [], marks = [], visible = figure.curves.filter(curve => !hidden.has(curve.key));
  panels.forEach((panel, at) => {
    const axis = at ? String(at + 1) : "", to = figure.logarithmic.includes(panel) ? place : value => value;
    visible.forEach((curve, turn) => {
      const color = ink(curve.color, theme), shown = line(curve.key, panel, width ?? figure.smooth[panel] ?? 1);
      const tasks = shown.mean.map((_, task) => task), y = shown.mean.map(to);
      const shared = {x: tasks, xaxis: "x" + axis, yaxis: "y" + axis, legendgroup: curve.key, hoverinfo: "skip", showlegend: false, mode: "lines", line: {width: 0}};
      if (shown.low.some(value => value !== null))
        found.push({...shared, y: shown.low.map(to)}, {...shared, y: shown.high.map(to), fill: "tonexty", fillcolor: faded(color, 0.16)});
      if (shown.raw) found.push({...shared, y: shown.raw.map(to), line: {color: faded(color, 0.28), width: 0.8}});
      const values = shown.mean.map((value, task) => [value, shown.half[task]]);
      const spread = shown.half.some(value => value !== null) ? ` ± %{customdata[1]:${digits(panel)}}` : "";
      found.push({...shared, y, name: plain(curve.legend), meta: {key: curve.key, panel}, hoverinfo: "all", customdata: values,
        line: {color, dash: curve.dash, width: 1.7}, hovertemplate: `%{customdata[0]:${digits(panel)}}${spread}`});
      const step = Math.max(Math.min(visible.length, tasks.length), Math.floor(tasks.length / MARKED)), first = Math.floor(turn * step / visible.length);  // staggered
      const marked = tasks.filter(task => task % step === first);
      marks.push({...shared, x: marked, y: marked.map(task => y[task]), mode: "markers", marker: mark(curve, theme), meta: {marks: curve.key, panel}});
      if (panel === "accuracy" && curve.published.length) marks.push({...shared, x: curve.published.map(([task]) => task),
        y: curve.published.map(([, value]) => value), mode: "markers", hoverinfo: "all", hovertemplate: "published: %{y:.2f}",
        marker: {symbol: "star", size: 12, color: theme.paper, line: {color, width: 1.5}}});
      if (legend && !at) found.push({...shared, legendgroup: undefined, x: [null], y: [null], name: plain(curve.legend), showlegend: true, mode: "lines+markers",
        line: {color, dash: curve.dash, width: 2}, marker: mark(curve, theme)});
    });
  });
  return [...found, ...marks];  // a line does not hide the markers of one beneath it
}

function ticks(values) {  // of a logarithmic axis, linear from 0 to 1
  const low = Math.min(...values), high = Math.max(...values), every = [];
  for (let decade = 0; decade < 12; decade++) every.push(...[1, 2, 5].map(one => one * 10 ** decade));
  let there = every.filter(tick => low / 1.25 <= tick && tick <= high * 1.25);
  if (there.length > constants.ticks) there = there.filter(tick => String(tick)[0] === "1");
  if (low < 1) there.unshift(0);
  return {range: [low < 1 ? -0.02 : place(low / 1.25), place(high * 1.25)], tickvals: there.map(place), ticktext: there.map(tick => tick.toLocaleString("en"))};
}

function vertical(figure, panel, width, hidden) {
  const lines = figure.curves.filter(curve => !hidden.has(curve.key)).map(curve => line(curve.key, panel, width ?? figure.smooth[panel] ?? 1));
  const means = lines.flatMap(one => one.mean).filter(value => value !== null);
  if (figure.logarithmic.includes(panel) && means.length) return ticks(means);
  let [low, high] = limits(lines);
  const starred = panel === "accuracy" ? figure.curves.filter(curve => !hidden.has(curve.key)).flatMap(curve => curve.published.map(([, value]) => value)) : [];
  low = Math.min(low, ...starred), high = Math.max(high, ...starred);
  return {range: [measures[panel].from_zero ? Math.min(0, low) : low, high], tickformat: measures[panel].size ? "," : high >= 10000 ? "~s" : ""};
}

function horizontal(figure, hidden) {  // the first and the last task are whole, whatever is marked
  const shown = figure.curves.filter(curve => !hidden.has(curve.key)).map(curve => line(curve.key, "accuracy", 1).mean.length);
  const last = Math.max(1, ...shown) - 1, room = Math.max(0.5, 0.025 * last);
  return [-room, last + room];
}

function layout(figure, panels, width, hidden, theme, across) {
  const rows = Math.ceil(panels.length / across), row = across === 1 ? 220 : 265, height = 62 + row * rows;
  const whole = {height, margin: {l: 62, r: 12, t: 26, b: 38}, paper_bgcolor: theme.paper, plot_bgcolor: theme.paper,
    font: {family: "Helvetica, Arial, Liberation Sans, sans-serif", size: 12.5, color: theme.ink}, hovermode: "x unified", annotations: [],
    hoverlabel: {bgcolor: theme.paper, bordercolor: theme.grid, font: {size: 11.5, color: theme.ink}}, dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom"};
  panels.forEach((panel, at) => {
    const axis = at ? String(at + 1) : "", column = at % across, down = Math.floor(at / across), gap = 58 / (height - 64);
    const x = across === 1 || panels.length === 1 ? [0, 1] : column ? [0.545, 1] : [0, 0.455];
    const tall = (1 - gap * (rows - 1)) / rows, top = 1 - down * (tall + gap);
    const grid = {gridcolor: theme.grid, zeroline: false, linecolor: theme.axis, ticks: "outside", tickcolor: theme.axis, ticklen: 4, showline: true};
    const last = at >= panels.length - across;
    whole["xaxis" + axis] = {...grid, domain: x, anchor: "y" + axis, range: horizontal(figure, hidden), title: last ? {text: "Task", standoff: 4, font: {size: 12.5}} : undefined, unifiedhovertitle: {text: "Task %{x}"}, matches: at ? "x" : undefined};
    whole["yaxis" + axis] = {...grid, domain: [Math.max(0, top - tall), Math.min(1, top)], anchor: "x" + axis, ...vertical(figure, panel, width, hidden)};
    whole.annotations.push({text: `<b>${plain(measures[panel].axis)}</b>`, xref: "paper", yref: "paper", x: x[0], y: top, xanchor: "left", yanchor: "bottom", yshift: 4, showarrow: false});
  });
  return whole;
}

function printed(figure, panels, width, hidden) {  // for a file: light, with title and legend
  const theme = THEMES.light, across = Math.min(2, panels.length), whole = layout(figure, panels, width, hidden, theme, across);
  const entries = figure.curves.filter(curve => !hidden.has(curve.key)).length, below = 40 + 22 * Math.ceil(entries / 2), plot = whole.height;
  whole.width = across === 1 ? 620 : 1000;
  whole.height = plot + 34 + below;
  whole.margin = {...whole.margin, t: 60, b: 38 + below};
  whole.title = {text: `<b>${plain(`${figure.title} (${figure.cell})`)}</b>`, x: 0.01, xanchor: "left", font: {size: 16}};
  whole.legend = {orientation: "h", x: 0, xanchor: "left", yanchor: "top", y: -62 / (plot - 64), entrywidth: 0.46, entrywidthmode: "fraction", font: {size: 12}};
  return {data: traces(figure, panels, width, hidden, theme, true), layout: whole};
}
