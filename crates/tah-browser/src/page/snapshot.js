// One pass over the rendered document: what can be acted on, in lines short enough for a model, what is on the screen
// first; and afterwards what changed. Lines of frames inside are put in by the caller.
{
  const dom = tah.dom;
  const BLOCK = new Set(
    ("address article aside blockquote body details dialog dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 " +
      "h5 h6 header hr html legend li main nav ol option p pre section summary svg table tbody td text tfoot th thead tr ul").split(" "),
  );
  const CONTAINERS = {
    dialog: "dialog", form: "form", nav: "navigation", aside: "aside", fieldset: "group", table: "table", header: null,
    footer: "footer", menu: "menu",
  };
  const CONTAINER_ROLES = new Set(
    "dialog alertdialog form navigation complementary group radiogroup table grid menu menubar tablist listbox toolbar tree region search contentinfo".split(" "),
  );
  // What each element looked like when it was last told.
  const told = new WeakMap();

  function container(element) {
    const role = dom.role(element);
    if (element.localName === "dialog" && !element.open) return null;
    if (CONTAINER_ROLES.has(role)) return { complementary: "aside", contentinfo: "footer", alertdialog: "dialog" }[role] ?? role;
    if (element.localName === "section" && (element.hasAttribute("aria-label") || element.hasAttribute("aria-labelledby"))) return "region";
    return CONTAINERS[element.localName] ?? null;
  }

  function containerLabel(element, what) {
    const named = dom.fold(element.getAttribute("aria-label") ?? "");
    if (named) return dom.cut(named, 60);
    const by = element.getAttribute("aria-labelledby")?.split(/\s+/)[0];
    const other = by && element.getRootNode().getElementById?.(by);
    if (other) return dom.cut(dom.text(other), 60);
    const legend = element.querySelector(":scope > legend, :scope > caption");
    if (legend) return dom.cut(dom.text(legend), 60);
    if (what === "form") return dom.cut(element.getAttribute("name") || element.id || "", 40);
    return "";
  }

  const onScreen = (box, view) => box.right > view[0] && box.bottom > view[1] && box.left < view[2] && box.top < view[3];

  // A field whose own box is gone is reached through its visible label.
  function stand(element, kind) {
    if (kind !== "checkbox" && kind !== "radio" && kind !== "file") return null;
    for (const label of element.labels ?? []) if (dom.visible(label)) return label;
    return null;
  }

  const linkPath = (element) => {
    const raw = element.getAttribute("href") ?? "";
    if (/^(javascript:|#?$)/i.test(raw)) return "";
    if (raw.startsWith("data:")) return "data:…";
    let url;
    try {
      url = new URL(raw, document.baseURI);
    } catch {
      return dom.cut(raw, 60);
    }
    return dom.cut(url.origin === location.origin ? url.pathname + url.search + url.hash : url.href, 60);
  };

  // All that could be told, in document order.
  function collect(options) {
    const view = options.view ?? [0, 0, innerWidth, innerHeight];
    const entries = [];
    const active = deepActive();
    let run = "";
    let runOf = null;
    let depth = 0;
    const flush = () => {
      const text = run && dom.fold(run);
      // Strokes and arrows between links say nothing.
      if (text && runOf && /[\p{L}\p{N}\p{S}]/u.test(text) && !/^[|›»·•→>\/<«‹+~=-]+$/u.test(text)) {
        const last = entries[entries.length - 1];
        // The same words again are a caption of what was just listed.
        if (!(last?.type === "element" && last.label === text)) {
          entries.push({ type: "text", depth, text, holder: runOf, box: null });
        }
      }
      run = "";
      runOf = null;
    };
    const walk = (node, pointer, quiet, inside) => {
      for (const kid of dom.kids(node)) {
        if (kid.nodeType === 3) {
          if (!quiet && !/^\s*$/.test(kid.data)) {
            if (!runOf) {
              if (!node.checkVisibility || !node.checkVisibility({ visibilityProperty: true }) || dom.unseen(node)) continue;
              runOf = node;
            }
            if (run.length < 600) run += kid.data;
          } else if (run) run += " ";
          continue;
        }
        if (kid.nodeType !== 1 || dom.SILENT.has(kid.localName)) continue;
        visit(kid, pointer, quiet, inside);
      }
    };
    const visit = (element, pointer, quiet, inside) => {
      const tag = element.localName;
      let kind = dom.kind(element);
      if (!element.checkVisibility()) {
        if (kind && (kind === "checkbox" || kind === "radio" || kind === "file")) {
          const label = stand(element, kind);
          if (label) {
            flush();
            entries.push(entry(element, kind, label.getBoundingClientRect(), depth, active));
          }
          return;
        }
        if (getComputedStyle(element).display !== "contents") return;
      }
      if (tag === "iframe" || tag === "frame") {
        flush();
        const box = element.getBoundingClientRect();
        if (box.width >= 4 && box.height >= 4) {
          entries.push({ type: "frame", depth, element, box });
        }
        return;
      }
      if (tag === "br") {
        run += " ";
        return;
      }
      if (tag === "img" && !kind) {
        if (element.alt && !quiet) run += ` ${element.alt} `;
        return;
      }
      const block = BLOCK.has(tag);
      if (block) flush();
      let mine = null;
      let hand = pointer;
      if (!kind && !inside && tag !== "label") {
        const listens = dom.listened.has(element) || element.hasAttribute("onclick");
        const style = pointer ? null : getComputedStyle(element);
        if (listens || style?.cursor === "pointer") {
          hand = true;
          if (tag !== "html" && tag !== "body" && (style?.cursor === "pointer" || clickable(element))) kind = "other";
        } else if (element.tabIndex >= 0 && element.hasAttribute("tabindex") && clickable(element) && element.scrollHeight <= element.clientHeight + 1) {
          kind = "other";
        }
      }
      let box = kind ? element.getBoundingClientRect() : null;
      if (kind && (!element.checkVisibility({ visibilityProperty: true }) || !(box.width > 0 && box.height > 0)) && !(element.getClientRects().length && getComputedStyle(element).visibility === "visible")) {
        const label = stand(element, kind);
        if (label) {
          flush();
          entries.push(entry(element, kind, label.getBoundingClientRect(), depth, active));
        }
        kind = null;
      }
      if (kind) {
        let small = box.width < 4 || box.height < 4;
        if (!small && element.localName === "input" && stand(element, kind) && getComputedStyle(element).opacity === "0") {
          box = stand(element, kind).getBoundingClientRect();
        }
        if (small) {
          const label = stand(element, kind);
          if (label) {
            box = label.getBoundingClientRect();
            small = false;
          } else if (element.firstElementChild) {
            const inner = element.firstElementChild.getBoundingClientRect();
            if (inner.width >= 4 && inner.height >= 4) {
              box = inner;
              small = false;
            }
          }
        }
        // What has neither a name nor a shape of its own can't be chosen.
        if (kind === "other" && !element.ownerSVGElement && !dom.label(element, kind)) small = true;
        if (!small) {
          flush();
          mine = entry(element, kind, box, depth, active);
          entries.push(mine);
        } else if (kind !== "other") return;
      }
      if (mine && mine.kind !== "other") {
        // What is inside a control is its name; controls inside controls are rare, but there.
        if (tag !== "select" && tag !== "textarea" && tag !== "input" && tag !== "canvas" && element.firstElementChild) {
          walk(element, true, true, true);
        }
        return;
      }
      if (/^h[1-6]$/.test(tag) || dom.role(element) === "heading") {
        const text = quiet ? "" : dom.text(element, 200);
        if (text) {
          const level = /^h[1-6]$/.test(tag) ? Number(tag[1]) : Number(element.getAttribute("aria-level") ?? 2);
          entries.push({ type: "heading", depth, text, level, holder: element, box: null });
        }
        walk(element, hand, true, inside);
        flush();
        return;
      }
      const what = container(element);
      if (what) {
        flush();
        const open = { type: "open", depth, what, label: containerLabel(element, what), element };
        entries.push(open);
        depth += 1;
        walk(element, hand, quiet || Boolean(mine), inside || Boolean(mine));
        flush();
        depth -= 1;
        entries.push({ type: "close", open });
        return;
      }
      const labels = tag === "label" && element.control && dom.kind(element.control);
      walk(element, hand, quiet || Boolean(mine) || Boolean(labels) || tag === "legend" || tag === "caption", inside || Boolean(mine));
      if (block) flush();
    };
    const scope = options.scope ?? document.body ?? document.documentElement;
    if (scope) visitScope(scope);
    flush();
    for (const one of entries) {
      const holder = one.holder;
      if (holder) one.box = holder.getBoundingClientRect();
      one.seen = one.box ? onScreen(one.box, view) : false;
    }
    return entries;

    function visitScope(element) {
      if (element === document.body || element === document.documentElement) {
        if (dom.kind(element)) entries.push(entry(element, "input", element.getBoundingClientRect(), 0, active));
        const cursor = getComputedStyle(element).cursor === "pointer";
        walk(element, cursor, false, false);
      } else visit(element, false, false, false);
    }
  }

  // A listener on a big thing with controls inside is delegation, not a button.
  function clickable(element) {
    if (dom.holds(element)) return false;
    return dom.text(element, 220).length <= 200 && element.childElementCount <= 12;
  }

  function deepActive() {
    let active = document.activeElement;
    while (active) {
      const inner = dom.shadow(active)?.activeElement;
      if (!inner) break;
      active = inner;
    }
    return active === document.body ? null : active;
  }

  function entry(element, kind, box, depth, active) {
    const made = { type: "element", depth, element, kind, label: dom.label(element, kind), box, active: element === active };
    if (element.ownerSVGElement) made.where = place(element);
    return made;
  }

  // The line of one element, without its indentation.
  function line(one) {
    const { element, kind } = one;
    const role = dom.role(element);
    let word = kind;
    if (kind === "input" && element.localName === "input" && element.type !== "text") word = `input[${element.type}]`;
    else if (kind === "input" && element.isContentEditable) word = "editor";
    else if (role && role !== kind && /^(tab|menuitem|menuitemcheckbox|menuitemradio|switch|option|treeitem|slider|combobox|searchbox|spinbutton)$/.test(role)) word = role;
    else if (kind === "other") word = "clickable";
    if (kind === "select" && element.multiple) word = "select[multiple]";
    let text = `e${one.number} ${word}`;
    if (one.label) text += ` ${JSON.stringify(one.label)}`;
    const value = dom.shownValue(element, kind);
    if (value && value !== one.label) text += ` = ${JSON.stringify(dom.cut(value, 80))}`;
    const states = dom.states(element, kind);
    if (one.active) states.push("focused");
    if (kind === "file") states.push("browser_upload");
    if (states.length) text += ` [${states.join(", ")}]`;
    if (kind === "select" && !one.brief) {
      const options = [...element.options].map((option) => option.label || option.text);
      const shown = options.slice(0, 8).map((option) => dom.cut(dom.fold(option), 30));
      if (options.length > 1) text += ` options: ${shown.join(" | ")}${options.length > 8 ? ` | … ${options.length - 8} more` : ""}`;
    }
    if (kind === "link" && one.path) text += ` → ${one.path}`;
    if (one.where) text += ` in ${JSON.stringify(one.where)}`;
    return text;
  }

  // What tells one "Edit" from the next: the first words of its row or card.
  function place(element) {
    if (element.ownerSVGElement) {
      const group = dom.closest(dom.parent(element), (at) => !at.ownerSVGElement || (at.localName === "g" && dom.text(at, 60) !== ""));
      return group?.ownerSVGElement ? dom.cut(dom.text(group, 60), 40) : "";
    }
    const row = dom.closest(dom.parent(element), (at) => /^(tr|li|article)$/.test(at.localName) || /^(row|listitem|article)$/.test(dom.role(at)));
    if (!row) return "";
    const own = dom.text(element, 80);
    const text = dom.text(row, 120);
    const rest = dom.fold(text.startsWith(own) ? text.slice(own.length) : text);
    return dom.cut(rest, 40);
  }

  // Elements that are alike: the same kind in the same kind of place.
  function family(one) {
    const list = dom.closest(dom.parent(one.element), (at) => /^(ul|ol|table|tbody|select|nav|menu)$/.test(at.localName) || /^(list|table|grid|feed|menu|listbox|tree)$/.test(dom.role(at)));
    const holder = list ?? dom.parent(dom.parent(one.element) ?? one.element) ?? document.body;
    return [holder, one.kind];
  }

  function familyName(holder) {
    const label = containerLabel(holder, "");
    const what = dom.role(holder) || { ul: "list", ol: "list", tbody: "table", nav: "navigation" }[holder.localName] || (CONTAINERS[holder.localName] ?? "");
    const table = holder.localName === "tbody" ? holder.parentElement : holder;
    const name = label || (table !== holder ? containerLabel(table, "") : "");
    return what ? ` in ${what}${name ? ` ${JSON.stringify(name)}` : ""}` : "";
  }

  const KEEP = 6;
  const FOLD_FROM = 16;
  const TEXT_LINE = 200;

  // Chooses what is told within `options.budget` characters.
  function choose(entries, options) {
    const elements = entries.filter((one) => one.type === "element");
    const links = elements.filter((one) => one.kind === "link").length;
    const names = new Map();
    for (const one of elements) {
      const name = `${one.kind} ${one.label}`;
      names.set(name, (names.get(name) ?? 0) + 1);
    }
    // Boilerplate: of many alike outside the screen a few stand for the rest.
    const families = new Map();
    for (const one of elements) {
      const [holder, kind] = family(one);
      const kinds = families.get(holder) ?? families.set(holder, new Map()).get(holder);
      const members = kinds.get(kind) ?? kinds.set(kind, []).get(kind);
      members.push(one);
    }
    let folded = 0;
    for (const [holder, kinds] of families) {
      for (const [kind, members] of kinds) {
        if (members.length < FOLD_FROM) continue;
        let kept = 0;
        let last = null;
        let out = 0;
        for (const one of members) {
          if (one.seen || one.active || kept < KEEP) {
            kept += 1;
            last = one;
          } else {
            one.skip = true;
            out += 1;
          }
        }
        if (out && last) {
          folded += out;
          const word = kind === "other" ? "clickable" : kind === "checkbox" ? "checkboxe" : kind;
          last.after = `… ${out} more ${word}s${familyName(holder)} — browser_find`;
        }
      }
    }
    let left = options.budget;
    let texts = options.texts;
    let dropped = 0;
    let droppedText = 0;
    const priced = (text, depth) => text.length + depth + 2 + (text.match(/["\\]/g)?.length ?? 0);
    const take = (one) => {
      const ambiguous = names.get(`${one.kind} ${one.label}`) > 1;
      if (one.kind === "link" && (ambiguous || !one.label || links <= 30)) one.path = linkPath(one.element);
      if (ambiguous) one.where ??= place(one.element);
      one.number = dom.number(one.element);
      if (!one.number) return false;
      one.line = line(one);
      const cost = options.objects ? JSON.stringify(object(one)).length + 1 : priced(one.line, one.depth) + (one.after ? priced(one.after, one.depth) : 0);
      if (cost > left) return false;
      left -= cost;
      one.taken = true;
      return true;
    };
    const takeText = (one) => {
      one.line = one.type === "heading" ? `${"#".repeat(Math.min(6, one.level))} ${dom.cut(one.text, 120)}` : `text: ${dom.cut(one.text, TEXT_LINE)}`;
      const cost = priced(one.line, one.depth);
      if (cost > left || cost > texts) {
        droppedText += 1;
        return;
      }
      left -= cost;
      texts -= cost;
      one.taken = true;
    };
    const candidates = elements.filter((one) => !one.skip);
    const isText = (one) => one.type === "text" || one.type === "heading";
    // The screen first, then the rest in the order of the document.
    for (const here of [true, false]) {
      let full = false;
      for (const one of candidates) {
        if (one.seen !== here) continue;
        if (full || !take(one)) {
          full = true;
          dropped += 1;
        }
      }
      for (const one of entries) if (isText(one) && one.seen === here) takeText(one);
    }
    return { folded, dropped, droppedText, left, total: elements.length };
  }

  function write(entries, view) {
    const parts = [];
    let lines = [];
    // Only the containers that hold something.
    const stack = [];
    let open = [];
    const put = (depth, text) => lines.push(`${" ".repeat(depth)}${text}`);
    const opened = () => {
      for (const one of stack) {
        if (!one.shown) {
          one.shown = true;
          if (one.named) put(one.level, `${one.what}${one.label ? ` ${JSON.stringify(one.label)}` : ""}:`);
        }
      }
    };
    for (const one of entries) {
      if (one.type === "open") {
        one.named = Boolean(one.label) || one.what === "dialog" || one.what === "form" || one.what === "navigation" || one.what === "footer";
        one.level = open.length ? open[open.length - 1] : 0;
        open.push(one.named ? one.level + 1 : one.level);
        stack.push(one);
      } else if (one.type === "close") {
        stack.pop();
        open.pop();
      } else if (one.type === "frame") {
        opened();
        const key = dom.frameKeys.get(one.element);
        const level = open.length ? open[open.length - 1] : 0;
        parts.push(lines.join("\n"));
        lines = [];
        const { element } = one;
        const box = element.getBoundingClientRect();
        const scale = element.offsetWidth ? box.width / element.offsetWidth : 1;
        const style = getComputedStyle(element);
        const left = box.left + (element.clientLeft + parseFloat(style.paddingLeft)) * scale;
        const top = box.top + (element.clientTop + parseFloat(style.paddingTop)) * scale;
        const name = dom.fold(element.title || element.getAttribute("aria-label") || element.name || "");
        parts.push({ frame: key ?? null, level, name: dom.cut(name || element.id || "", 60), src: element.getAttribute("src") ?? "", left, top, scale, view: [(Math.max(view[0], left) - left) / scale, (Math.max(view[1], top) - top) / scale, (Math.min(view[2], box.right) - left) / scale, (Math.min(view[3], box.bottom) - top) / scale] });
      } else if (one.taken) {
        opened();
        const level = open.length ? open[open.length - 1] : 0;
        put(level, one.line);
        if (one.after) put(level, one.after);
      }
    }
    parts.push(lines.join("\n"));
    return parts;
  }

  function object(one) {
    const made = {
      ref: `e${one.number}`,
      kind: one.kind,
      label: one.label,
      x: Math.round(one.box.left + one.box.width / 2),
      y: Math.round(one.box.top + one.box.height / 2),
    };
    const value = dom.shownValue(one.element, one.kind);
    if (value) made.value = dom.cut(value, 200);
    const states = dom.states(one.element, one.kind);
    if (one.active) states.push("focused");
    if (states.length) made.states = states;
    if (one.path) made.href = one.path;
    return made;
  }

  tah.snap = { collect, line, told, deepActive, stand, onScreen, entry, linkPath, place };

  Object.assign(tah, {
    // `options`: start, end (numbers that may be given), budget and texts (characters), view (the part of this viewport
    // that is on the screen), objects (whether structured entries are wanted), listened (indices of elements with
    // listeners of their own), scope (a number).
    snapshot(options) {
      dom.reserve(options.start, options.end);
      tah.hearing(options.listened);
      const scope = options.scope ? dom.element(options.scope) : null;
      const entries = collect({ ...options, scope });
      const counts = choose(entries, options);
      const objects = [];
      for (const one of entries) {
        if (one.taken && one.type === "element") {
          told.set(one.element, bare(one.line));
          if (options.objects) objects.push(object(one));
        }
      }
      const parts = write(entries, options.view ?? [0, 0, innerWidth, innerHeight]);
      const suspects = dom.suspects(1).length;
      return { parts, objects, suspects, used: dom.used, ...counts, url: location.href, title: dom.fold(document.title), ready: document.readyState };
    },

    // Elements that have listeners of their own, as indices into all elements.
    hearing(listened) {
      if (!listened?.length) return;
      const all = document.querySelectorAll("*");
      for (const index of listened) if (all[index]) dom.listened.add(all[index]);
    },

    bare,
  });

  // A line without what is only there to tell it from others.
  function bare(text) {
    return text.replace(/ (→|in|options:) .*$/, "");
  }
}
