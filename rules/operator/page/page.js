
"use strict";
// Everything that is shown is text: names are of hostile clients. There is no way from a text to markup here.
const byId = (id) => document.getElementById(id);
const most_shown = 200;
const most_looked_at = 24;  // projects whose things Podman is asked about

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined && text !== "") made.textContent = text;
  if (className) made.className = className;
  return made;
}

function drawn(name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

async function read(path) {
  const answer = await fetch(path, {cache: "no-store"});
  const document = await answer.json();
  if (!answer.ok) throw new Error(document.message || answer.statusText);
  return document;
}

function amount(resource, number) {
  if (resource === "cpus") return (number / 1e9).toLocaleString("en", {maximumFractionDigits: 2});
  if (resource !== "memory") return number.toLocaleString("en");
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let step = 0;
  for (; number >= 1024 && step < units.length - 1; ++step) number /= 1024;
  return number.toLocaleString("en", {maximumFractionDigits: 1}) + " " + units[step];
}

function time_text(microseconds) {
  if (microseconds < 1000) return microseconds + " µs";
  if (microseconds < 1e6) return (microseconds / 1000).toFixed(microseconds < 1e4 ? 1 : 0) + " ms";
  return (microseconds / 1e6).toFixed(1) + " s";
}

// The hour

const plot = {left: 46, right: 632, top: 8, bottom: 156};
const column = (plot.right - plot.left) / 60;

function clock(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString("en-GB", {hour: "2-digit", minute: "2-digit"});
}

function frame(minutes, marks) {
  const parts = marks.map(([y, text]) => [
    drawn("line", {class: "grid", x1: plot.left, x2: plot.right, y1: y, y2: y}),
    drawn("text", {x: plot.left - 6, y: y + 4, "text-anchor": "end"}, text)]).flat();
  for (let i = 0; i < minutes.length; i += 15)
    parts.push(drawn("text", {x: plot.left + i * column, y: 174}, clock(minutes[i].minute)));
  return parts;
}

function draw_requests(minutes) {
  const highest = Math.max(4, ...minutes.map((one) => one.requests));
  const height = (number) => number / highest * (plot.bottom - plot.top);
  const parts = frame(minutes, [0, .5, 1].map((part) => [plot.bottom - height(part * highest), Math.round(part * highest)]));
  minutes.forEach((one, i) => {
    let y = plot.bottom;
    const served = one.requests - one.denied - one.failed;
    for (const [name, number] of [["served", served], ["denied", one.denied], ["failed", one.failed]]) {
      if (!number) continue;
      const size = Math.max(1.5, height(number));
      y -= size;
      const bar = drawn("rect", {class: name, x: plot.left + i * column + 1, y, width: column - 2, height: size});
      bar.append(drawn("title", {}, clock(one.minute) + ": " + number + " " + name));
      parts.push(bar);
    }
  });
  byId("requests").replaceChildren(...parts);
}

function draw_times(minutes) {
  const lowest = 1, highest = 7;  // powers of ten of microseconds
  const y_of = (microseconds) => {
    const power = Math.log10(Math.max(10, microseconds));
    return plot.bottom - (Math.min(power, highest) - lowest) / (highest - lowest) * (plot.bottom - plot.top);
  };
  const parts = frame(minutes, [10, 1e3, 1e5, 1e7].map((number) => [y_of(number), time_text(number).replace(".0", "")]));
  const lines = [["upstream", (one) => one.upstream_us.p95], ["own95", (one) => one.own_us.p95], ["own", (one) => one.own_us.p50]];
  for (const [name, value] of lines) {
    let points = [];
    const end_line = () => {
      if (points.length > 1) parts.push(drawn("polyline", {class: name, points: points.map((at) => at.join()).join(" ")}));
      if (points.length === 1) parts.push(drawn("circle", {class: name, cx: points[0][0], cy: points[0][1], r: 2}));
      points = [];
    };
    minutes.forEach((one, i) => {
      if (one.requests) points.push([(plot.left + (i + .5) * column).toFixed(1), y_of(value(one)).toFixed(1)]);
      else end_line();
    });
    end_line();
  }
  byId("times").replaceChildren(...parts);
}

function draw_hour({minutes}) {
  const sum = (name) => minutes.reduce((all, one) => all + one[name], 0);
  const busy = minutes.filter((one) => one.requests);
  const worst = (name) => Math.max(0, ...busy.map((one) => one[name].p95));
  const tiles = [["requests", sum("requests").toLocaleString("en")], ["denied", sum("denied").toLocaleString("en")],
                 ["failed", sum("failed").toLocaleString("en")],
                 ["podfence, 95 % below, worst minute", time_text(worst("own_us"))],
                 ["Podman, 95 % below, worst minute", time_text(worst("upstream_us"))]];
  byId("tiles").replaceChildren(...tiles.map(([name, number]) => {
    const tile = element("div", "", "tile");
    tile.append(element("b", number), element("span", name));
    return tile;
  }));
  draw_requests(minutes);
  draw_times(minutes);
  const said = tiles.map(([name, number]) => number + " " + name).join(", ");
  byId("requests").setAttribute("aria-label", "Requests of each minute of the last hour: " + said);
  byId("times").setAttribute("aria-label", "Times of each minute of the last hour: " + said);
}

// The projects

const looked_at = new Map();  // what was last seen of each project
const opened = new Set();     // whose things are unfolded

function quota_list(quota) {
  const list = element("dl", "", "quota");
  for (const [name, {used, most}] of Object.entries(quota)) {
    const meter = element("meter");
    const all = Math.max(most, 1);
    Object.assign(meter, {min: 0, max: all, low: all * .8, high: all * .999, optimum: 0, value: used});
    meter.setAttribute("aria-label", name + ": " + amount(name, used) + " of " + amount(name, most));
    const row = element("div"), bar = element("dd");
    bar.append(meter);
    row.append(element("dt", name), bar, element("dd", amount(name, used) + " / " + amount(name, most), "number"));
    list.append(row);
  }
  return list;
}

function object_list(id, objects) {
  const all = element("details");
  all.open = opened.has(id);
  all.addEventListener("toggle", () => all.open ? opened.add(id) : opened.delete(id));
  const counts = Object.entries(objects).map(([kind, names]) => names.length + " " + (names.length === 1 ? kind.slice(0, -1) : kind));
  all.append(element("summary", counts.join(", ")));
  for (const [kind, names] of Object.entries(objects)) {
    if (!names.length) continue;
    const list = element("ul");
    list.append(...names.map((name) => element("li", name.length === 64 ? name.slice(0, 12) : name, "mono")));
    all.append(element("div", kind), list);
  }
  return all;
}

function project_card(project) {
  const card = element("article", "", "project");
  card.dataset.project = project.id;
  card.append(element("h3", project.id));
  const facts = [project.source, project.connections + (project.connections === 1 ? " connection" : " connections")];
  if (project.last_request) facts.push("last request " + new Date(project.last_request).toLocaleTimeString("en-GB"));
  card.append(element("p", facts.join(" · "), "quiet"));
  if (!project.served) card.append(element("p", "not served: " + project.wrong, "wrong"));
  for (const opening of project.openings) card.append(element("p", "opening: " + opening, "opening"));
  const seen = looked_at.get(project.id);
  if (seen && seen.failed) card.append(element("p", seen.failed, "wrong"));
  if (seen && seen.quota) card.append(quota_list(seen.quota));
  if (seen && seen.objects) card.append(object_list(project.id, seen.objects));
  return card;
}

function fill_choice(projects) {
  const choice = byId("whose"), chosen = choice.value;
  const options = projects.map(({id}) => Object.assign(element("option", id), {value: id}));
  choice.replaceChildren(choice.options[0], ...options);
  choice.value = projects.some(({id}) => id === chosen) ? chosen : "";
  if (choice.value !== chosen) follow();
}

async function show_projects() {
  const {projects} = await read("projects");
  for (const {id} of projects.slice(0, most_looked_at)) {
    try {
      looked_at.set(id, await read("projects/" + encodeURIComponent(id)));
    } catch (error) {
      looked_at.set(id, {failed: error.message});
    }
  }
  const cards = projects.map(project_card);
  byId("projects").replaceChildren(...(cards.length ? cards : [element("p", "none yet", "quiet")]));
  fill_choice(projects);
}

// The decisions

let paused = false;
const held_back = [];

function place_text({file, line, where, stands}) {
  return (file || "the configuration") + (line ? ":" + line : "") + " " + where + (stands ? "" : " (nothing says it yet)");
}

function is_denial(decision) { return ["refuse", "hide", "error"].includes(decision); }

function decision_item(event) {
  const item = element("li", "", "decision new " + (is_denial(event.decision) ? event.decision : ""));
  item.dataset.project = event.project;
  item.dataset.decision = event.decision;
  const head = element("div", "", "head");
  head.append(element("span", new Date(event.time).toLocaleTimeString("en-GB"), "quiet"), element("span", event.project, "word"),
              element("span", event.decision + (event.status ? " " + event.status : ""), "word"),
              element("code", event.method + " " + event.target), element("span", time_text(event.duration_us), "quiet"));
  item.append(head);
  const list = element("dl");
  const policy = event.policy && (event.place ? event.policy + ": " + place_text(event.place) : event.policy);
  for (const [name, text] of [["rule", event.rule], ["reason", event.sentence], ["way out", event.way_out], ["policy", policy]])
    if (text) list.append(element("dt", name), element("dd", text));
  if (list.children.length) item.append(list);
  return item;
}

function add_decision(item) {
  if (paused) {
    held_back.push(item);
    held_back.splice(0, held_back.length - most_shown);
    byId("pause").textContent = "Go on (" + held_back.length + ")";
    return;
  }
  const list = byId("decisions");
  list.prepend(item);
  while (list.children.length > most_shown) list.lastElementChild.remove();
  byId("none").hidden = true;
}

function pause() {
  paused = !paused;
  byId("pause").setAttribute("aria-pressed", paused);
  byId("pause").textContent = paused ? "Go on" : "Pause";
  if (!paused) held_back.splice(0).forEach(add_decision);
}

let stream;

function wanted() {
  const query = new URLSearchParams({recent: 100});
  if (byId("which").value === "denied") query.set("decision", "refuse,hide,error");
  if (byId("whose").value) query.set("project", byId("whose").value);
  return "decisions?" + query;
}

// From the beginning, whenever something else is wanted.
function follow() {
  if (stream) stream.close();
  const mine = stream = new EventSource(wanted());
  mine.addEventListener("open", () => {
    byId("decisions").replaceChildren();
    byId("none").hidden = false;
    held_back.length = 0;
    say("live");
  });
  mine.addEventListener("error", () => {
    say("podfence does not answer; trying again");
    if (mine.readyState === EventSource.CLOSED) setTimeout(() => mine === stream && follow(), 5000);
  });
  mine.addEventListener("decision", ({data}) => add_decision(decision_item(JSON.parse(data))));
  mine.addEventListener("lost", ({data}) =>
      add_decision(element("li", JSON.parse(data).lost + " more, too fast to be told", "decision quiet")));
}

function say(text) { byId("state").textContent = text; }

// One after the other: a slow answer is not asked for twice.
async function again(seconds, work) {
  try {
    await work();
    if (stream.readyState === EventSource.OPEN) say("live");
  } catch (error) {
    say(error.message);
  }
  setTimeout(again, seconds * 1000, seconds, work);
}

byId("which").addEventListener("change", follow);
byId("whose").addEventListener("change", follow);
byId("pause").addEventListener("click", pause);
byId("filter").addEventListener("submit", (event) => event.preventDefault());
follow();
again(5, async () => draw_hour(await read("history")));
again(10, show_projects);
