// The document as it is rendered: shadow roots (open, and closed ones handed over by the protocol), slots, visibility,
// names and states of elements, and the numbers (`e12`) by which elements are known outside.
{
  const closedRoots = new WeakMap();
  const askedOf = new WeakMap();
  const elementOf = new Map();
  const numberOf = new WeakMap();
  const frameKeys = new WeakMap();
  const listened = new WeakSet();
  let nextNumber = 0;
  let lastNumber = 0;

  const HOSTS = new Set(
    "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "),
  );
  const SILENT = new Set("script style noscript template head meta link title base param source track datalist".split(" "));

  const dom = {
    SILENT,
    frameKeys,
    listened,

    shadow(element) {
      return element.shadowRoot ?? closedRoots.get(element) ?? null;
    },

    kids(node) {
      if (node.nodeType === 1) {
        const root = dom.shadow(node);
        if (root) return root.childNodes;
        if (node.localName === "slot") {
          const assigned = node.assignedNodes();
          if (assigned.length) return assigned;
        }
      }
      return node.childNodes;
    },

    // The parent in the flat tree, across shadow boundaries.
    parent(node) {
      const above = node.parentNode;
      if (!above) return null;
      if (above.nodeType === 11) return above.host ?? null;
      if (above.nodeType !== 1) return null;
      const root = dom.shadow(above);
      if (!root) return above;
      if (node.assignedSlot) return node.assignedSlot;
      for (const slot of root.querySelectorAll("slot")) if (slot.assignedNodes().includes(node)) return slot;
      return above;
    },

    contains(outer, inner) {
      for (let node = inner; node; node = dom.parent(node)) if (node === outer) return true;
      return false;
    },

    closest(node, test) {
      for (let at = node; at; at = dom.parent(at)) if (at.nodeType === 1 && test(at)) return at;
      return null;
    },

    // The document and all shadow roots in it, each before those inside.
    roots(root = document, into = []) {
      into.push(root);
      for (const element of root.querySelectorAll("*")) {
        const inner = dom.shadow(element);
        if (inner) dom.roots(inner, into);
      }
      return into;
    },

    // `test` decides; matches come in document order, also across shadow roots.
    inOrder(elements) {
      if (elements.length < 2) return elements;
      const path = (node) => {
        const steps = [];
        for (let at = node; at; at = at.host && at.nodeType === 11 ? at.host : at.parentNode) steps.unshift(at);
        return steps;
      };
      const paths = new Map(elements.map((element) => [element, path(element)]));
      return elements.sort((a, b) => {
        const [pa, pb] = [paths.get(a), paths.get(b)];
        let i = 0;
        while (i < pa.length && pa[i] === pb[i]) i++;
        if (i >= pa.length) return -1;
        if (i >= pb.length) return 1;
        if (pa[i].nodeType === 11) return -1;
        if (pb[i].nodeType === 11) return 1;
        return pa[i].compareDocumentPosition(pb[i]) & 4 ? -1 : 1;
      });
    },

    // Said to screen readers only: clipped away or smaller than a letter.
    unseen(element) {
      const box = element.getBoundingClientRect();
      if (box.width > 2 && box.height > 2) return false;
      const style = getComputedStyle(element);
      return style.overflow === "hidden" || style.overflow === "clip" || style.clip !== "auto" || style.clipPath !== "none";
    },

    // Whether something in it can be acted on by itself, in its shadow roots too.
    holds(element) {
      if (element.querySelector(CONTROLS)) return true;
      for (const kid of element.querySelectorAll("*")) {
        if (kid.shadowRoot?.querySelector(CONTROLS) || (kid.ownerSVGElement && listened.has(kid))) return true;
      }
      return Boolean(dom.shadow(element)?.querySelector(CONTROLS));
    },

    rendered(element) {
      return element.checkVisibility() || getComputedStyle(element).display === "contents";
    },

    visible(element) {
      if (!element.checkVisibility({ visibilityProperty: true })) return false;
      const box = element.getBoundingClientRect();
      return box.width > 0 && box.height > 0;
    },

    fold(text) {
      // Lone surrogates would not survive the way out (behaviour 72).
      return text.replace(/[\s\u200b\ufeff]+/g, " ").trim().toWellFormed();
    },

    cut(text, length) {
      if (text.length <= length) return text;
      return text.slice(0, length - 1).toWellFormed().replace(/\ufffd$/, "") + "…";
    },

    // The text one sees of an element, folded; `limit` ends the walk early.
    text(element, limit = 400) {
      let text = "";
      const walk = (node) => {
        for (const kid of dom.kids(node)) {
          if (text.length > limit) return;
          if (kid.nodeType === 3) text += kid.data;
          else if (kid.nodeType === 1 && !SILENT.has(kid.localName)) {
            if (!kid.checkVisibility() && getComputedStyle(kid).display !== "contents") continue;
            if (kid.localName === "img") text += ` ${kid.alt} `;
            else if (kid.localName === "br") text += " ";
            else {
              const own = kid.getAttribute("aria-label");
              if (own && kid.localName === "svg") text += ` ${own} `;
              else if (kid.localName === "title") text += ` ${kid.textContent} `;
              else {
                const apart = !INLINE.has(kid.localName);
                if (apart) text += " ";
                walk(kid);
                if (apart) text += " ";
              }
            }
          }
        }
      };
      walk(element);
      return dom.fold(text);
    },

    // By what a person would call it: 120 characters at most.
    label(element, kind = dom.kind(element)) {
      return dom.cut(dom.fullLabel(element, kind), 120);
    },

    fullLabel(element, kind) {
      const attribute = (name) => dom.fold(element.getAttribute(name) ?? "");
      const by = element.getAttribute("aria-labelledby");
      if (by) {
        const parts = by.split(/\s+/).map((id) => element.getRootNode().getElementById?.(id)).filter(Boolean);
        // A part may name itself, as the field does that is in its own list.
        const words = parts.map((part) => dom.fold(part.getAttribute("aria-label") || dom.text(part) || part.textContent));
        const text = [...new Set(words.filter(Boolean))].join(" ");
        if (text) return text;
      }
      const own = attribute("aria-label");
      if (own) return own;
      const tag = element.localName;
      if (element.labels?.length) {
        const text = dom.fold([...element.labels].map((label) => labelText(label, element)).join(" "));
        if (text) return text;
      }
      const field = tag === "input" || tag === "textarea" || tag === "select";
      if (field) {
        const hint = attribute("placeholder") || attribute("aria-placeholder");
        if (hint) return hint;
        if (kind === "button") {
          const text = dom.fold(element.value || "") || attribute("alt") || attribute("title");
          return text || (element.type === "submit" ? "Submit" : element.type === "reset" ? "Reset" : attribute("name") || element.id);
        }
        return attribute("title") || besides(element) || attribute("name") || element.id || "";
      }
      const editable = element.isContentEditable && kind === "input";
      if (editable) {
        // An editor's classes say nothing; what it is for may stand around it.
        const hint = attribute("aria-placeholder") || attribute("data-placeholder") || attribute("placeholder");
        return hint || attribute("title") || attribute("data-language") || attribute("name") || element.id;
      } else {
        const text = dom.text(element, 160);
        if (text) return text;
      }
      return attribute("title") || attribute("alt") || attribute("name") || element.id || guess(element);
    },

    // `input`, `button`, `link`, `textarea`, `select`, `checkbox`, `radio`, `file`, `canvas`, `other`; null: not by itself.
    kind(element) {
      const tag = element.localName;
      switch (tag) {
        case "a":
        case "area":
          if (element.hasAttribute("href")) return roleKind(element) ?? "link";
          break;
        case "button":
          return roleKind(element) ?? "button";
        case "summary":
          return "button";
        case "select":
        case "textarea":
          return tag;
        case "canvas":
          return "canvas";
        case "input":
          switch (element.type) {
            case "hidden":
              return null;
            case "checkbox":
            case "radio":
            case "file":
              return element.type;
            case "submit":
            case "button":
            case "reset":
            case "image":
              return "button";
            default:
              return "input";
          }
        case "option":
        case "optgroup":
        case "html":
        case "body":
          return element.isContentEditable && tag === "body" ? "input" : null;
        case "audio":
        case "video":
          return element.controls ? "other" : null;
      }
      if (element.isContentEditable && !(dom.parent(element)?.isContentEditable)) return "input";
      return roleKind(element);
    },

    role(element) {
      return (element.getAttribute("role") ?? "").trim().split(/\s+/)[0].toLowerCase();
    },

    disabled(element) {
      if (element.matches(":disabled")) return "disabled";
      if (dom.closest(element, (at) => at.getAttribute("aria-disabled") === "true")) return "aria-disabled";
      if (dom.closest(element, (at) => at.inert)) return "inert";
      return null;
    },

    checked(element) {
      if (element.localName === "input" && (element.type === "checkbox" || element.type === "radio")) {
        return element.indeterminate ? "mixed" : element.checked;
      }
      const aria = element.getAttribute("aria-checked");
      return aria === null ? null : aria === "mixed" ? "mixed" : aria === "true";
    },

    // What holds of the element now, as words.
    states(element, kind) {
      const states = [];
      const aria = (name) => element.getAttribute(`aria-${name}`);
      if (dom.disabled(element)) states.push("disabled");
      const checked = dom.checked(element);
      if (checked === "mixed") states.push("mixed");
      else if (checked) states.push("checked");
      if (aria("selected") === "true" || (aria("current") && aria("current") !== "false")) states.push("selected");
      if (aria("pressed") === "true") states.push("pressed");
      const expanded = element.localName === "summary" ? String(element.parentElement?.open ?? false) : aria("expanded");
      if (expanded) states.push(expanded === "true" ? "expanded" : "collapsed");
      if (element.required || aria("required") === "true") states.push("required");
      if ((element.readOnly && kind !== "button") || aria("readonly") === "true") states.push("readonly");
      if (aria("invalid") === "true" || (element.willValidate && element.matches(":user-invalid"))) states.push("invalid");
      return states;
    },

    // What a field holds, for reading; a password never leaves.
    shownValue(element, kind) {
      if (kind === "select") return dom.fold([...element.selectedOptions].map((option) => option.label || option.text).join(", "));
      if (kind === "file") return [...element.files].map((file) => file.name).join(", ");
      if (element.localName === "input" || element.localName === "textarea") {
        if (kind !== "input" && kind !== "textarea") return "";
        if (element.type === "password") return element.value ? `(${[...element.value].length} characters, hidden)` : "";
        return dom.fold(element.value);
      }
      if (kind === "input" && element.isContentEditable) return dom.text(element, 200);
      const role = dom.role(element);
      if (role === "slider" || role === "spinbutton" || role === "progressbar") {
        return element.getAttribute("aria-valuetext") ?? element.getAttribute("aria-valuenow") ?? "";
      }
      return "";
    },

    // For messages: `button "Save"`, or the tag with id and classes where it has no name.
    describe(element) {
      if (!element || element.nodeType !== 1) return "nothing";
      const kind = dom.kind(element);
      const role = dom.role(element);
      const id = element.id ? `#${element.id}` : "";
      const classes = [...element.classList].slice(0, 2).map((name) => `.${name}`).join("");
      const what = `<${element.localName}${id}${id ? "" : classes}>`;
      const name = dom.cut(kind ? dom.label(element, kind) : dom.fold(element.getAttribute("aria-label") ?? "") || dom.text(element, 60), 60);
      const head = kind && kind !== "other" ? `${kind} ` : role ? `${role} ` : "";
      return name ? `${head}"${name}" ${what}` : `${head}${what}`;
    },

    reserve(start, end) {
      nextNumber = start;
      lastNumber = end;
    },

    // Numbers are bound to nodes and never used again (B9).
    number(element) {
      const known = numberOf.get(element);
      if (known) return known;
      if (nextNumber >= lastNumber) return 0;
      const number = nextNumber++;
      numberOf.set(element, number);
      elementOf.set(number, new WeakRef(element));
      return number;
    },

    get used() {
      return nextNumber;
    },

    element(number) {
      return elementOf.get(number)?.deref() ?? null;
    },

    // Elements that may hide a closed shadow root: the protocol is asked about them.
    suspects(limit) {
      const found = [];
      for (const root of dom.roots()) {
        for (const element of root.querySelectorAll("*")) {
          if (found.length >= limit) return found;
          if (dom.shadow(element)) continue;
          const custom = element.localName.includes("-");
          if (!custom && !HOSTS.has(element.localName)) continue;
          // Custom elements may get their root late, others have it from the start.
          const asked = askedOf.get(element) ?? 0;
          if (asked >= (custom ? 3 : 1) || !(custom || hides(element))) continue;
          if (limit > 1) askedOf.set(element, asked + 1);
          found.push(element);
        }
      }
      return found;
    },

    adopt(root) {
      closedRoots.set(root.host, root);
    },
  };

  const INLINE = new Set("a abbr b bdi bdo cite code data em font i kbd mark q s samp small span strong sub sup time u var slot".split(" "));

  const CONTROLS = "a[href],button,input,select,textarea,[contenteditable]:not([contenteditable=false]),[role=button],[role=link],[role=tab],[role=menuitem],[role=checkbox],[role=switch],[role=radio],[role=combobox],[role=textbox],[role=treeitem]";

  const ROLES = {
    button: "button", menuitem: "button", tab: "button", link: "link", checkbox: "checkbox", switch: "checkbox",
    menuitemcheckbox: "checkbox", radio: "radio", menuitemradio: "radio", textbox: "input", searchbox: "input",
    combobox: "input", spinbutton: "input", option: "other", treeitem: "other", slider: "other", scrollbar: null,
  };

  function roleKind(element) {
    const role = dom.role(element);
    if (!role) return null;
    if (role === "combobox" && element.localName === "button") return "button";
    return ROLES[role] ?? null;
  }

  // A label's text without the text of the control inside it.
  function labelText(label, control) {
    let text = "";
    const walk = (node) => {
      for (const kid of dom.kids(node)) {
        if (kid === control || (kid.nodeType === 1 && /^(select|textarea|button)$/.test(kid.localName))) continue;
        if (kid.nodeType === 3) text += kid.data;
        else if (kid.nodeType === 1 && !SILENT.has(kid.localName)) {
          text += " ";
          walk(kid);
          text += " ";
        }
      }
    };
    walk(label);
    return text;
  }

  // Text right before a field that has no label of its own.
  function besides(element) {
    const before = element.previousSibling;
    const text = before?.nodeType === 3 ? dom.fold(before.data) : "";
    return text.length <= 60 ? text.replace(/[:：]$/, "") : "";
  }

  // An icon says something by its file, its address or its classes at best.
  function guess(element) {
    const href = element.getAttribute?.("href");
    if (href && !href.startsWith("data:")) return href.replace(/[?#].*$/, "").split("/").filter(Boolean).pop() ?? "";
    const use = element.querySelector?.("use");
    const icon = use?.getAttribute("href") ?? use?.getAttribute("xlink:href");
    if (icon) return icon.split("#").pop();
    const inner = element.querySelector?.("i[class],svg[class],span[class]")?.getAttribute("class");
    // A shape in a drawing is known by the group it is part of.
    const around = element.ownerSVGElement && element.parentNode.localName === "g" ? element.parentNode.getAttribute("class") : "";
    const classes = inner ?? [around, element.getAttribute("class")].filter(Boolean).join(" ");
    return dom.cut(dom.fold(classes), 40);
  }

  function hides(element) {
    const first = element.firstElementChild;
    if (first) return getComputedStyle(first).display === "";
    if (element.firstChild && element.textContent.trim()) return false;
    return element.clientHeight > 0 && element.clientWidth > 0;
  }

  tah.dom = dom;
}

Object.assign(tah, {
  suspects(limit) {
    return tah.dom.suspects(limit);
  },

  // Called on a closed shadow root that the protocol handed over.
  adopt() {
    tah.dom.adopt(this);
    return true;
  },

  // Called on an iframe element: the frame in it is known by this key.
  nameFrame(key) {
    tah.dom.frameKeys.set(this, key);
    return true;
  },

  node(number) {
    return tah.dom.element(number);
  },
});
