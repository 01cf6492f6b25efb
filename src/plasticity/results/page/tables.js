// Tables that can be searched, filtered, sorted and taken away as csv.
const words = row => row.textContent.toLowerCase();
const value = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent;

function entries(table) {  // a row, and what opens below it
  return [...table.tBodies[0].rows].filter(row => !row.classList.contains("evidence")).map(row => [row, ...(row.nextElementSibling?.classList.contains("evidence") ? [row.nextElementSibling] : [])]);
}

function tools(section) {
  const table = section.querySelector("table"), bar = document.createElement("div"), heads = [...table.tHead.rows[0].cells];
  bar.className = "tools";
  const search = document.createElement("input");
  search.type = "search";
  search.placeholder = "Search";
  search.setAttribute("aria-label", "Search this table");
  const filters = heads.flatMap((head, column) => head.dataset.filter === undefined ? [] : [{column, pick: choice(head, table, column)}]);
  const count = document.createElement("span"), take = document.createElement("button");
  take.textContent = "Download csv";
  const update = () => {
    const asked = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const [row, evidence] of entries(table)) {
      const text = words(row) + (evidence ? words(evidence) : "");
      const there = asked.every(word => text.includes(word)) && filters.every(({column, pick}) => !pick.value || (pick.dataset.any ? text.includes(pick.value) : value(row, column) === pick.value));
      row.hidden = !there;
      if (evidence) evidence.hidden = !there || !row.classList.contains("open");
      shown += there;
    }
    count.textContent = `${shown} of ${entries(table).length} rows`;
  };
  search.oninput = update;
  for (const {pick} of filters) pick.onchange = update;
  take.onclick = () => save(`${section.id}.csv`, csv([heads.map(head => head.textContent), ...entries(table).map(([row]) => row).filter(row => !row.hidden)
    .map(row => [...row.cells].map(cell => cell.querySelector("details") ? cell.querySelector("summary").textContent : cell.textContent))]), "text/csv");
  bar.append(search, ...filters.map(({pick}) => pick), count, take);
  section.querySelector(".scroll").before(bar);
  update();
}

function choice(head, table, column) {
  const pick = document.createElement("select"), any = head.dataset.filter.split("|").filter(Boolean);
  const there = any.length ? any : [...new Set(entries(table).map(([row]) => value(row, column)))];
  if (any.length) pick.dataset.any = "yes";
  pick.setAttribute("aria-label", head.textContent);
  pick.append(new Option(any.length ? "any verdict" : `${head.textContent}: any`, ""), ...there.map(one => new Option(one, one)));
  return pick;
}

function sorting(table) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    head.onclick = () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const order = head.dataset.sort === "number"
        ? (a, b) => (a === "" ? 1 : b === "" ? -1 : (Number(a) - Number(b)) * (up ? 1 : -1))
        : (a, b) => a.localeCompare(b, "en", {numeric: true}) * (up ? 1 : -1);
      table.tBodies[0].append(...entries(table).sort(([a], [b]) => order(value(a, column), value(b, column))).flat());
    };
  });
}

for (const section of document.querySelectorAll("section[data-table]")) { sorting(section.querySelector("table")); tools(section); }
for (const row of document.querySelectorAll("#verdicts tr.claim")) {
  const toggle = () => {
    const open = row.classList.toggle("open");
    row.setAttribute("aria-expanded", open);
    row.nextElementSibling.hidden = !open;
  };
  row.onclick = toggle;
  row.onkeydown = event => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); toggle(); } };
}
