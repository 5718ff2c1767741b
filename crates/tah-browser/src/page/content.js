// The page as text, Markdown or data; rows of it; places in it that say something.
{
  const dom = tah.dom;
  const cut = (text, limit) => ({ content: text.length > limit ? text.slice(0, limit).toWellFormed() : text, truncated: text.length > limit, total: text.length });
  const BREAKS = new Set(
    ("address article aside blockquote dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 " +
      "header hr legend li main nav ol p pre section summary table tbody tfoot thead tr ul body html").split(" "),
  );

  const shown = (element) => element.checkVisibility?.() !== false || getComputedStyle(element).display === "contents";

  // Children to read: through shadow roots and into frames of the same origin.
  function inner(element) {
    if (element.localName === "iframe" || element.localName === "frame") {
      try {
        return element.contentDocument?.body ? [element.contentDocument.body] : [];
      } catch {
        return [];
      }
    }
    return dom.kids(element);
  }

  const absolute = (element, name) => {
    const raw = element.getAttribute(name);
    if (raw === null) return null;
    try {
      return new URL(raw, element.ownerDocument.baseURI).href;
    } catch {
      return raw;
    }
  };

  function plain(root) {
    let out = "";
    const line = () => {
      out = out.replace(/[ \t]+$/, "");
      if (out && !out.endsWith("\n")) out += "\n";
    };
    const walk = (node, pre) => {
      if (node.nodeType === 3) {
        if (pre) out += node.data;
        else {
          const text = node.data.replace(/\s+/g, " ");
          out += out === "" || /\s$/.test(out) ? text.trimStart() : text;
        }
        return;
      }
      if (node.nodeType !== 1 || dom.SILENT.has(node.localName) || !shown(node)) return;
      const tag = node.localName;
      if (tag === "br") return void (out += "\n");
      if (tag === "textarea" || tag === "select" || tag === "input" || tag === "canvas" || tag === "svg") return;
      if (tag === "td" || tag === "th") {
        if (out && !/\s$/.test(out)) out += "\t";
      }
      const block = BREAKS.has(tag);
      if (block) line();
      for (const kid of inner(node)) walk(kid, pre || tag === "pre");
      if (block) line();
      if (tag === "p" || /^h[1-6]$/.test(tag)) out += "\n";
    };
    walk(root, false);
    return out.replace(/\n{3,}/g, "\n\n").trim().toWellFormed();
  }

  function markdown(root) {
    const inline = (node) => {
      let text = "";
      for (const kid of inner(node)) text += piece(kid);
      return text;
    };
    const piece = (node) => {
      if (node.nodeType === 3) return node.data.replace(/\s+/g, " ");
      if (node.nodeType !== 1 || dom.SILENT.has(node.localName) || !shown(node)) return "";
      const tag = node.localName;
      const body = () => inline(node);
      switch (tag) {
        case "br":
          return "\n";
        case "a": {
          const text = dom.fold(body());
          const href = absolute(node, "href");
          if (!href || /^javascript:/i.test(href)) return text;
          return text ? `[${text.replace(/[[\]]/g, "\\$&")}](${href})` : "";
        }
        case "img": {
          const source = node.getAttribute("src") ?? "";
          return source && !source.startsWith("data:") ? `![${node.alt}](${absolute(node, "src")})` : node.alt;
        }
        case "b":
        case "strong": {
          const text = body();
          return text.trim() ? text.replace(/^(\s*)([\s\S]*?)(\s*)$/, "$1**$2**$3") : text;
        }
        case "i":
        case "em": {
          const text = body();
          return text.trim() ? text.replace(/^(\s*)([\s\S]*?)(\s*)$/, "$1*$2*$3") : text;
        }
        case "code":
        case "kbd":
          return `\`${node.textContent}\``;
        case "input":
        case "select":
        case "textarea":
        case "svg":
        case "canvas":
          return "";
        default:
          return BREAKS.has(tag) || tag === "iframe" ? `\n\n${blocks(node).trim()}\n\n` : body();
      }
    };
    const indent = (text, by) => text.replace(/\n(?=.)/g, `\n${" ".repeat(by)}`);
    const blocks = (node) => {
      let out = "";
      let run = "";
      const flush = () => {
        const text = run.replace(/[ \t]*\n[ \t]*/g, "\n").replace(/\n{3,}/g, "\n\n").trim();
        if (text) out += `${text}\n\n`;
        run = "";
      };
      for (const kid of inner(node)) {
        if (kid.nodeType !== 1) {
          if (kid.nodeType === 3) run += kid.data.replace(/\s+/g, " ");
          continue;
        }
        const tag = kid.localName;
        if (dom.SILENT.has(tag) || !shown(kid)) continue;
        if (!BREAKS.has(tag) && tag !== "iframe" && tag !== "frame") {
          run += piece(kid);
          continue;
        }
        flush();
        out += block(kid, tag);
      }
      flush();
      return out;
    };
    const block = (node, tag) => {
      if (/^h[1-6]$/.test(tag)) {
        const text = dom.fold(inline(node));
        return text ? `${"#".repeat(Number(tag[1]))} ${text}\n\n` : "";
      }
      if (tag === "hr") return "---\n\n";
      if (tag === "pre") return `\`\`\`\n${node.textContent.replace(/\n$/, "")}\n\`\`\`\n\n`;
      if (tag === "blockquote") return `${blocks(node).trim().replace(/^/gm, "> ")}\n\n`;
      if (tag === "ul" || tag === "ol" || tag === "menu") {
        let number = Number(node.getAttribute("start") ?? 1);
        let out = "";
        for (const item of inner(node)) {
          if (item.nodeType !== 1 || !shown(item) || dom.SILENT.has(item.localName)) continue;
          const mark = tag === "ol" ? `${number++}. ` : "- ";
          out += `${mark}${indent(blocks(item).trim().replace(/\n\n+/g, "\n"), mark.length)}\n`;
        }
        return `${out}\n`;
      }
      if (tag === "table") return table(node);
      return `${blocks(node).trim()}\n\n`;
    };
    const table = (node) => {
      const rows = [...node.rows].filter(shown);
      if (!rows.length) return "";
      // A table without heads and with one column is layout.
      const width = Math.max(...rows.map((row) => row.cells.length));
      if (width < 2 || node.querySelector("table")) return rows.map((row) => [...row.cells].map((cell) => blocks(cell).trim()).join("\n\n")).join("\n\n") + "\n\n";
      const line = (row) => `| ${[...row.cells].map((cell) => dom.fold(inline(cell)).replace(/\|/g, "\\|")).concat(Array(width).fill("")).slice(0, width).join(" | ")} |`;
      const caption = node.caption ? `${dom.fold(node.caption.textContent)}\n\n` : "";
      return `${caption}${line(rows[0])}\n|${" --- |".repeat(width)}\n${rows.slice(1).map(line).join("\n")}\n\n`;
    };
    return blocks({ nodeType: 1, localName: "x", childNodes: [root] }).replace(/\n{3,}/g, "\n\n").trim().toWellFormed();
  }

  function data(root) {
    const all = (selector) => [...root.querySelectorAll(selector)].filter(shown);
    const meta = (name) => document.querySelector(`meta[name="${name}"],meta[property="og:${name}"]`)?.content ?? "";
    return {
      title: document.title,
      url: location.href,
      lang: document.documentElement.lang,
      description: meta("description"),
      headings: all("h1,h2,h3,h4,h5,h6").map((one) => ({ level: Number(one.localName[1]), text: dom.text(one) })),
      links: all("a[href]").map((one) => ({ text: dom.text(one), href: absolute(one, "href") })).filter((one) => one.text || one.href),
      tables: all("table").map((one) => [...one.rows].map((row) => [...row.cells].map((cell) => dom.text(cell)))),
      text: plain(root),
    };
  }

  Object.assign(tah, {
    // { content, truncated } of the body or the first match; null while the selector matches nothing.
    content(format, selector, limit) {
      let root = document.body ?? document.documentElement;
      if (selector) {
        root = null;
        for (const one of dom.roots()) {
          try {
            root ??= one.querySelector(selector);
          } catch {
            return { invalid: `${JSON.stringify(selector)} is not a CSS selector` };
          }
        }
        if (!root) return null;
      }
      if (!root) return { content: "", truncated: false, total: 0 };
      switch (format) {
        case "html":
          return cut((selector ? root : document.documentElement).outerHTML.toWellFormed(), limit);
        case "markdown":
          return cut(markdown(root), limit);
        case "json": {
          const made = data(root);
          let size = JSON.stringify(made).length;
          const total = size;
          // It stays JSON however short: the longest parts give way first.
          for (const key of ["text", "links", "tables", "headings"]) {
            while (size > limit && made[key].length) {
              made[key] = made[key].slice(0, Math.floor(made[key].length * Math.min(0.9, limit / size)));
              size = JSON.stringify(made).length;
            }
          }
          return { content: JSON.stringify(made).toWellFormed(), truncated: size < total, total };
        }
        default:
          return cut(plain(root), limit);
      }
    },

    // Rows of a page: `item` elements and for each the fields `css` or `css@attribute`.
    scrape(item, fields) {
      const query = (root, selector) => {
        try {
          return root.querySelectorAll(selector);
        } catch {
          throw new Error(`tah:selector:${JSON.stringify(selector)} is not a CSS selector`);
        }
      };
      try {
        const items = [];
        for (const root of dom.roots()) items.push(...query(root, item));
        const rows = dom.inOrder(items).map((row) => {
          const made = {};
          for (const [name, spec] of Object.entries(fields)) {
            const at = spec.lastIndexOf("@");
            const bracket = spec.lastIndexOf("]");
            const [css, attribute] = at >= 0 && at > bracket ? [spec.slice(0, at), spec.slice(at + 1).trim()] : [spec, ""];
            let element = row;
            if (css.trim()) {
              element = query(row, css)[0] ?? (dom.shadow(row) ? query(dom.shadow(row), css)[0] : null) ?? null;
            }
            if (!element) made[name] = null;
            else if (!attribute) made[name] = dom.fold(element.textContent ?? "");
            else if (/^(href|src|action|poster)$/.test(attribute)) made[name] = absolute(element, attribute);
            else if (attribute === "value" && "value" in element && element.type !== "password") made[name] = String(element.value);
            else made[name] = element.getAttribute(attribute)?.toWellFormed() ?? null;
          }
          return made;
        });
        return { count: rows.length, items: rows };
      } catch (error) {
        if (error.message.startsWith("tah:selector:")) return { invalid: error.message.slice(13) };
        throw error;
      }
    },

    // Places that say something: elements by their label or value, and text with what is around it.
    search(what, limit, start, end) {
      dom.reserve(start, end);
      let test;
      if (what.regex) {
        try {
          const flags = (what.flags ?? "i").replace(/[gy]/g, "");
          test = new RegExp(what.regex, flags);
        } catch (error) {
          return { invalid: error.message.replace(/^Invalid regular expression: /, ""), used: dom.used };
        }
      } else test = new RegExp(dom.fold(what.text).replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
      const entries = tah.snap.collect({});
      const matches = [];
      let count = 0;
      const heads = [];
      for (const one of entries) {
        if (one.type === "heading") heads[one.level] = one.text;
        if (one.type !== "element" && one.type !== "text" && one.type !== "heading") continue;
        const value = one.type === "element" ? dom.shownValue(one.element, one.kind) : "";
        const text = one.type === "element" ? [one.label, value, one.kind === "link" ? tah.snap.linkPath(one.element) : ""].join(" ") : one.text;
        const found = test.exec(text);
        if (!found) continue;
        count += 1;
        if (matches.length >= limit) continue;
        if (one.type === "element") {
          one.number = dom.number(one.element);
          one.where = tah.snap.place(one.element);
          if (one.kind === "link") one.path = tah.snap.linkPath(one.element);
          matches.push(tah.snap.line(one));
        } else {
          const from = Math.max(0, found.index - 80);
          const till = found.index + found[0].length + 80;
          const around = `${from ? "…" : ""}${text.slice(from, till)}${till < text.length ? "…" : ""}`.toWellFormed();
          const under = one.type === "text" ? heads.filter(Boolean).pop() : "";
          const beside = neighbours(one.holder, entries);
          matches.push(`${one.type === "heading" ? "heading" : "text"}: ${around}${under ? ` (under ${JSON.stringify(dom.cut(under, 60))})` : ""}${beside ? `; in its row: ${beside}` : ""}`);
        }
      }
      return { count, matches, used: dom.used };
    },

    // Interactive nodes for the accessibility view; their elements are kept for the protocol's own roles and names.
    accessible(options) {
      const nodes = [];
      const elements = [];
      let truncated = false;
      const walk = (node, depth) => {
        for (const kid of dom.kids(node)) {
          if (kid.nodeType !== 1 || dom.SILENT.has(kid.localName)) continue;
          const hidden = !kid.checkVisibility({ visibilityProperty: true }) || kid.closest("[aria-hidden=true]") !== null;
          if (!kid.checkVisibility() && !options.includeHidden && getComputedStyle(kid).display !== "contents") continue;
          const kind = dom.kind(kid) ?? (dom.listened.has(kid) || kid.hasAttribute("onclick") || (kid.hasAttribute("tabindex") && kid.tabIndex >= 0) ? "other" : null);
          let deeper = depth;
          if (kind && (!hidden || options.includeHidden)) {
            if (nodes.length >= options.max) {
              truncated = true;
              return;
            }
            const box = kid.getBoundingClientRect();
            const states = dom.states(kid, kind);
            if (!states.includes("disabled") && kind !== "link") states.unshift("enabled");
            if ((kind === "checkbox" || kind === "radio") && dom.checked(kid) === false) states.push("unchecked");
            nodes.push({
              role: dom.role(kid) || IMPLIED[kind] || "generic",
              name: dom.label(kid, kind),
              value: dom.shownValue(kid, kind) || undefined,
              states,
              depth,
              tag: kid.localName,
              x: Math.round(box.left + box.width / 2),
              y: Math.round(box.top + box.height / 2),
            });
            elements.push(kid);
            deeper = depth + 1;
          }
          if (kid.localName === "iframe") {
            const key = dom.frameKeys.get(kid);
            if (key) {
              nodes.push({ frame: key, depth: deeper });
              elements.push(null);
            }
          } else walk(kid, deeper);
        }
      };
      if (document.body) walk(document.body, options.depth);
      accessibleElements = elements.filter(Boolean);
      return { nodes, truncated, url: location.href, title: document.title };
    },

    accessibleElements() {
      return accessibleElements;
    },
  });

  // What can be acted on in the same row or card.
  function neighbours(holder, entries) {
    const row = dom.closest(holder, (at) => /^(tr|li|article)$/.test(at.localName) || /^(row|listitem|article)$/.test(dom.role(at)));
    if (!row) return "";
    const inside = entries.filter((one) => one.type === "element" && row.contains(one.element)).slice(0, 4);
    return inside.map((one) => tah.snap.line({ ...one, number: dom.number(one.element), brief: true })).join(", ");
  }

  let accessibleElements = [];
  const IMPLIED = { input: "textbox", textarea: "textbox", select: "combobox", checkbox: "checkbox", radio: "radio", file: "button", button: "button", link: "link", canvas: "img" };
}
