"use strict";
(() => {
  const find = (id) => document.getElementById(id);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const files = JSON.parse(find("patches").textContent);
  const findings = all(".finding");
  const boxes = all("[data-fix]");
  const sections = all(".file");
  const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  document.documentElement.classList.add("scripted");

  // The theme: as the system has it, or one of the two.
  const themes = ["as the system", "light", "dark"];
  let theme = 0;
  find("theme").addEventListener("click", () => {
    theme = (theme + 1) % themes.length;
    document.documentElement.dataset.theme = themes[theme];
    find("theme").querySelector("span").textContent = themes[theme];
  });
  if (!findings.length) return;

  // Filters: what is hidden is neither read nor printed.
  const filters = { rule: find("rule"), status: find("status"), folder: find("folder") };
  const search = find("search");
  const texts = new Map();

  function textOf(finding) {
    if (!texts.has(finding)) {
      const path = finding.closest(".file").querySelector("h3").textContent;
      texts.set(finding, `${path} ${finding.textContent}`.toLowerCase());
    }
    return texts.get(finding);
  }

  function isShown(finding, words) {
    const { rule, status, folder } = finding.dataset;
    const inside = filters.folder.value;
    return (
      (!filters.rule.value || rule === filters.rule.value) &&
      (!filters.status.value || status === filters.status.value) &&
      (!inside || folder === inside || folder.startsWith(`${inside}/`)) &&
      words.every((word) => textOf(finding).includes(word))
    );
  }

  const shown = () => findings.filter((finding) => !finding.hidden);

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const finding of findings) finding.hidden = !isShown(finding, words);
    for (const section of sections) section.hidden = !section.querySelector(".finding:not([hidden])");
    const number = shown().length;
    find("shown").textContent = `${number} of ${findings.length} shown`;
    find("nothing").hidden = number > 0;
    find("clear").hidden = number === findings.length;
    for (const button of all("button.filter")) {
      button.setAttribute("aria-pressed", String(filters[button.dataset.filter].value === button.dataset.value));
    }
    tellOpen();
  }

  function clearFilters() {
    search.value = "";
    for (const select of Object.values(filters)) select.value = "";
    filter();
  }

  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 120);
  });
  for (const select of Object.values(filters)) select.addEventListener("change", filter);
  find("filters").addEventListener("submit", (event) => event.preventDefault());
  find("clear").addEventListener("click", () => {
    clearFilters();
    search.focus();
  });
  for (const button of all("button.filter")) {
    button.addEventListener("click", () => {
      const select = filters[button.dataset.filter];
      select.value = select.value === button.dataset.value ? "" : button.dataset.value;
      filter();
    });
  }

  // Open and close.
  const detailsOf = (finding) => finding.querySelector("details");
  const areAllOpen = () => shown().every((finding) => detailsOf(finding).open);
  function tellOpen() {
    find("open").textContent = areAllOpen() ? "Close all" : "Open all";
  }
  find("open").addEventListener("click", () => {
    const open = !areAllOpen();
    for (const finding of shown()) detailsOf(finding).open = open;
    tellOpen();
  });

  function follow() {
    const target = find(location.hash.slice(1));
    if (!target) return;
    if (target.hidden) clearFilters();
    const details = target.matches("details") ? target : target.querySelector(":scope > details");
    if (details) {
      details.open = true;
      target.scrollIntoView();
    }
  }
  window.addEventListener("hashchange", follow);

  // Choosing fixes. A fix is known by file, bundle and its place in the bundle.
  const chosen = new Set();

  function bound(key) {
    const [file, bundle] = key.split(".");
    const { bound, fixes } = files[file].bundles[bundle];
    return bound ? [...Array(fixes).keys()].map((fix) => `${file}.${bundle}.${fix}`) : [key];
  }

  function choose(keys, isChosen) {
    for (const key of keys.flatMap(bound)) {
      if (isChosen) chosen.add(key);
      else chosen.delete(key);
    }
    for (const box of boxes) box.checked = chosen.has(box.dataset.fix);
    tellChosen();
  }

  // For each file with a chosen fix, what comes of the choice in each of its bundles.
  function outcomes() {
    const found = new Map();
    for (const key of chosen) {
      const [file, bundle, fix] = key.split(".").map(Number);
      if (!found.has(file)) found.set(file, new Map());
      const bundles = found.get(file);
      bundles.set(bundle, [...(bundles.get(bundle) || []), fix].sort((one, other) => one - other));
    }
    return [...found.entries()]
      .sort(([one], [other]) => one - other)
      .map(([file, bundles]) => ({
        file: files[file],
        made: [...bundles.entries()].map(
          ([bundle, fixes]) => files[file].bundles[bundle].outcomes[fixes.join(",")] || { made: [], changes: [] },
        ),
      }));
  }

  function tellChosen() {
    const found = outcomes();
    const made = found.flatMap((part) => part.made).reduce((sum, outcome) => sum + outcome.made.length, 0);
    const left = chosen.size - made;
    find("tray").hidden = !chosen.size;
    find("chosen").textContent = `${count(made, "fix").replace("fixs", "fixes")} in ${count(found.length, "file")} chosen`;
    find("left-out").textContent = left ? `(${left} more can't be made together with these)` : "";
  }

  for (const box of boxes) box.addEventListener("change", () => choose([box.dataset.fix], box.checked));
  find("choose").addEventListener("click", () => {
    const safe = shown().filter((finding) => finding.dataset.status === "fixable");
    choose(safe.flatMap((finding) => [...finding.querySelectorAll("[data-fix]")].map((box) => box.dataset.fix)), true);
  });
  find("drop").addEventListener("click", () => choose([...chosen], false));

  // The patch. Each character of it is a byte.
  const CONTEXT = 3;
  const withEnd = (line) => (line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`);
  const range = (start, length) => (length === 1 ? `${start + 1}` : `${length ? start + 1 : start},${length}`);

  function hunksOf(changes) {
    const hunks = [];
    for (const change of changes) {
      const last = hunks.length && hunks[hunks.length - 1][hunks[hunks.length - 1].length - 1];
      if (last && change[0] - (last[0] + last[1]) <= 2 * CONTEXT) hunks[hunks.length - 1].push(change);
      else hunks.push([change]);
    }
    return hunks;
  }

  function diffOf({ file, made }) {
    const lines = new Map(file.pieces.flatMap(([start, ...piece]) => piece.map((line, index) => [start + index, line])));
    const changes = made.flatMap((outcome) => outcome.changes).sort((one, other) => one[0] - other[0] || one[1] - other[1]);
    let shift = 0;
    let text = "";
    for (const hunk of hunksOf(changes)) {
      const [last] = hunk.slice(-1);
      const start = Math.max(hunk[0][0] - CONTEXT, 0);
      const end = Math.min(last[0] + last[1] + CONTEXT, file.count);
      let body = "";
      let place = start;
      const copy = (until, mark) => {
        for (; place < until; place += 1) body += mark + withEnd(lines.get(place));
      };
      let grown = 0;
      for (const [at, removed, added] of hunk) {
        copy(at, " ");
        copy(at + removed, "-");
        body += added.map((line) => `+${withEnd(line)}`).join("");
        grown += added.length - removed;
      }
      copy(end, " ");
      text += `@@ -${range(start, end - start)} +${range(start + shift, end - start + grown)} @@\n${body}`;
      shift += grown;
    }
    return text && file.headers + text;
  }

  find("download").addEventListener("click", () => {
    const patch = outcomes().map(diffOf).join("");
    const bytes = Uint8Array.from(patch, (character) => character.charCodeAt(0));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([bytes], { type: "text/x-patch" }));
    link.download = "prepare-fix.patch";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });

  // Keys, where no text is typed.
  function step(forward) {
    const places = shown();
    const here = document.activeElement.closest(".finding");
    const index = here ? places.indexOf(here) + forward : 0;
    const next = places[Math.min(Math.max(index, 0), places.length - 1)];
    if (next) next.querySelector("summary").focus();
  }

  const keys = {
    "/": () => search.focus(),
    j: () => step(1),
    k: () => step(-1),
    x: () => {
      const finding = document.activeElement.closest(".finding");
      const box = finding && finding.querySelector("[data-fix]");
      if (box) choose([box.dataset.fix], !box.checked);
    },
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.activeElement === search) search.blur();
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || !find("keys").checked) return;
    if (document.activeElement.matches("input[type=search], select")) return;
    if (Object.hasOwn(keys, event.key)) {
      event.preventDefault();
      keys[event.key]();
    }
  });

  // A browser may bring back what was chosen before a reload.
  choose(boxes.filter((box) => box.checked).map((box) => box.dataset.fix), true);
  filter();
  follow();
})();
