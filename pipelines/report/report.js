// Tables can be sorted by a column; without this script they are as they were written.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") === "descending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
      const body = table.tBodies[0];
      const rows = [...body.rows].sort((a, b) => value(a).localeCompare(value(b), "en", { numeric: true }));
      body.append(...(up ? rows : rows.reverse()));
    });
  });
}
