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

// A search over the documents shown; without this script there is no field, and all documents stay.
const documents = [...document.querySelectorAll("details.document")];
const place = document.getElementById("search");
if (documents.length && place) {
  const texts = documents.map((one) => one.textContent.toLowerCase());
  const label = document.createElement("label");
  const field = document.createElement("input");
  const count = document.createElement("span");
  field.type = "search";
  count.setAttribute("role", "status");
  label.append("Search the documents on this page: ", field);
  place.append(label, " ", count);
  place.hidden = false;
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    documents.forEach((one, n) => {
      one.hidden = !words.every((word) => texts[n].includes(word));
      found += one.hidden ? 0 : 1;
    });
    count.textContent = words.length ? `${found} of ${documents.length} documents` : "";
  });
}
