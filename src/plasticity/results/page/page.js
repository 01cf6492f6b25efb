// What every page has: light or dark, lists to pick from, and files to take away.
const THEMES = {
  light: {paper: "#fff", ink: "#1b1f24", grid: "#eceff2", axis: "#8b949e", black: "#000000"},
  dark: {paper: "#14181d", ink: "#e6e9ed", grid: "#2a3138", axis: "#77828e", black: "#f0f2f4"},
};
const plain = text => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");  // Plotly takes some HTML
const ink = (color, theme) => color === "#000000" ? theme.black : color;
const pick = name => document.getElementById(`pick-${name}`);
const theme = () => THEMES[document.documentElement.dataset.theme];
const distinct = values => [...new Set(values)];

function faded(color, alpha) {
  const [r, g, b] = [1, 3, 5].map(at => parseInt(color.slice(at, at + 2), 16));
  return `rgba(${r},${g},${b},${alpha})`;
}

function options(select, values, texts) {
  const before = select.value;
  select.replaceChildren(...values.map((value, at) => new Option(texts?.[at] ?? value, value)));
  if (values.includes(before)) select.value = before;
}

const quoted = value => /[",\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
const csv = rows => rows.map(row => row.map(quoted).join(",")).join("\n") + "\n";

function save(name, content, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

function shade(name) {
  document.documentElement.dataset.theme = name;
  document.documentElement.style.colorScheme = name;
}

const preferred = matchMedia("(prefers-color-scheme: dark)");
shade(preferred.matches ? "dark" : "light");
preferred.onchange = () => { shade(preferred.matches ? "dark" : "light"); redraw(); };
document.getElementById("theme").onclick = () => { shade(document.documentElement.dataset.theme === "dark" ? "light" : "dark"); redraw(); };
