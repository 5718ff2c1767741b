// Values of fields: read, set so that frameworks notice, and read back.
{
  const dom = tah.dom;
  const CONTROLS = "input,textarea,select,[contenteditable],[role=checkbox],[role=switch],[role=radio],[role=textbox],[role=combobox],[role=slider]";
  const DATES = { date: "2026-12-31", time: "23:59", month: "2026-12", week: "2026-W53", "datetime-local": "2026-12-31T23:59" };

  const fire = (element, name, how = {}) => element.dispatchEvent(new (name === "input" ? InputEvent : Event)(name, { bubbles: true, composed: true, ...how }));

  function editable(element) {
    return element.isContentEditable && element.localName !== "input" && element.localName !== "textarea";
  }

  // The text of an editor with its line breaks.
  function editorText(element) {
    return (element.innerText ?? element.textContent ?? "").replace(/\u00a0/g, " ").replace(/\u200b|\ufeff/g, "").replace(/\n$/, "").toWellFormed();
  }

  function control(number) {
    const element = dom.element(number);
    if (!element?.isConnected) return null;
    return element.localName === "label" && element.control ? element.control : element;
  }

  function optionsOf(select) {
    return [...select.options].map((option) => ({ option, value: option.value, text: dom.fold(option.label || option.text) }));
  }

  function pick(select, wanted) {
    const all = optionsOf(select);
    if (wanted.index !== undefined && wanted.index !== null) return all[wanted.index]?.option;
    const value = (test) => all.find(test)?.option;
    if (wanted.value !== undefined && wanted.value !== null) return value((one) => one.value === wanted.value);
    if (wanted.text !== undefined && wanted.text !== null) {
      const text = dom.fold(wanted.text);
      return value((one) => one.text === text) ?? value((one) => one.text.toLowerCase() === text.toLowerCase());
    }
    const any = dom.fold(String(wanted.any));
    return (
      value((one) => one.value === String(wanted.any)) ??
      value((one) => one.text === any) ??
      value((one) => one.text.toLowerCase() === any.toLowerCase())
    );
  }

  const named = (select) => {
    const all = optionsOf(select);
    const shown = all.slice(0, 20).map((one) => (one.value && one.value !== one.text ? `${JSON.stringify(dom.cut(one.text, 40))} (value ${JSON.stringify(dom.cut(one.value, 40))})` : JSON.stringify(dom.cut(one.text, 40))));
    return shown.join(", ") + (all.length > 20 ? ` and ${all.length - 20} more` : "");
  };

  // Words a field is known by, for an exact match.
  function wordsOf(element, key) {
    const clean = (text) => dom.fold(text ?? "").replace(/\s*[:：*＊]+$/, "");
    if (key === "name") return [element.getAttribute("name") ?? "", element.id];
    if (key === "placeholder") return [clean(element.getAttribute("placeholder") ?? element.getAttribute("data-placeholder") ?? element.getAttribute("aria-placeholder"))];
    const words = [clean(dom.fullLabel(element, dom.kind(element))), clean(element.getAttribute("aria-label")), clean(element.getAttribute("title"))];
    for (const label of element.labels ?? []) words.push(clean(label.textContent));
    return words;
  }

  Object.assign(tah, {
    // What a field is and holds.
    field(number) {
      const element = control(number);
      if (!element) return { gone: true };
      const kind = dom.kind(element);
      const state = { gone: false, number: dom.number(element), tag: element.localName, type: element.type ?? "", kind: kind ?? "", what: dom.describe(element), role: dom.role(element) };
      const checked = dom.checked(element);
      if (checked !== null) return { ...state, checked: checked === true, mixed: checked === "mixed" };
      if (element.localName === "select") {
        const chosen = [...element.selectedOptions];
        return {
          ...state,
          value: element.multiple ? chosen.map((option) => option.value) : element.value,
          selectedText: chosen.map((option) => dom.fold(option.label || option.text)).join(", "),
          multiple: element.multiple,
        };
      }
      if (kind === "file") return { ...state, value: [...element.files].map((file) => file.name), multiple: element.multiple };
      if (element.localName === "input" || element.localName === "textarea") return { ...state, value: element.value.toWellFormed(), password: element.type === "password" };
      if (editable(element)) return { ...state, value: editorText(element), editor: true };
      if (element.localName === "output" || "value" in element) return { ...state, value: String(element.value ?? "") };
      return { ...state, value: element.getAttribute("aria-valuetext") ?? element.getAttribute("aria-valuenow") ?? null, text: dom.text(element, 400) };
    },

    // Sets an input, textarea or select the way its framework listens to, and reads back what it holds then.
    async setValue(number, wanted) {
      const element = control(number);
      if (!element) return { problem: "gone" };
      const tag = element.localName;
      const what = dom.describe(element);
      if (tag === "select") return tah.choose(number, Array.isArray(wanted) ? wanted.map((any) => ({ any })) : [{ any: wanted }], 0);
      if (tag !== "input" && tag !== "textarea") return { problem: "no field", what };
      if (element.type === "file") return { problem: "file", what };
      const text = String(wanted);
      const before = element.value;
      if (element.maxLength >= 0 && text.length > element.maxLength) return { problem: "refused", what, value: before, detail: `it takes at most ${element.maxLength} characters` };
      const goal = element.type === "color" ? text.toLowerCase() : tag === "textarea" ? text.replace(/\r\n?/g, "\n") : text;
      element.focus({ preventScroll: true });
      // This world's setter is the browser's own: no tracker of a framework sees the assignment, only the events.
      element.value = element.type === "color" ? goal : text;
      const taken = element.value;
      if (taken !== goal && !near(element, taken, goal)) {
        element.value = before;
        const format = DATES[element.type];
        const range = element.type === "range" || element.type === "number" ? [element.min && `min ${element.min}`, element.max && `max ${element.max}`, element.step && `step ${element.step}`].filter(Boolean).join(", ") : "";
        const hint = format ? `a ${element.type} looks like ${format}` : element.type === "color" ? "a colour looks like #aabbcc" : range || (element.type === "number" ? "it takes numbers only" : "");
        return { problem: "refused", what, value: taken, detail: hint };
      }
      fire(element, "input", { inputType: "insertReplacementText", data: text });
      fire(element, "change");
      await tah.tick();
      if (!element.isConnected) return { method: "native-setter", value: taken, replaced: true, what };
      const value = element.value;
      if (value !== goal && !near(element, value, goal)) return { problem: "refused", what, value, detail: "the page put another value in its place" };
      return { method: "native-setter", value: value.toWellFormed(), what };
    },

    // Chooses options; waits up to `budget` ms for ones that are not there yet.
    async choose(number, wanted, budget) {
      const select = control(number);
      if (!select) return { problem: "gone" };
      const what = dom.describe(select);
      if (select.localName !== "select") return { problem: "no select", what };
      const until = performance.now() + budget;
      if (wanted.length > 1 && !select.multiple) return { problem: "single", what };
      let chosen;
      for (;;) {
        chosen = wanted.map((one) => pick(select, one));
        if (chosen.every((option) => option && !option.disabled && !option.parentElement?.disabled)) break;
        if (performance.now() >= until) {
          const at = chosen.findIndex((option) => !option);
          if (at >= 0) return { problem: "unknown", what, detail: named(select), wanted: wanted[at] };
          return { problem: "option disabled", what, detail: dom.fold(chosen.find((option) => option.disabled || option.parentElement?.disabled).text) };
        }
        await tah.pause(50);
      }
      select.focus({ preventScroll: true });
      const before = [...select.options].map((option) => option.selected);
      for (const option of select.options) option.selected = chosen.includes(option);
      if ([...select.options].some((option, i) => option.selected !== before[i])) {
        fire(select, "input");
        fire(select, "change");
      }
      await tah.tick();
      if (!select.isConnected) return { method: "select", value: chosen[0]?.value ?? "", text: dom.fold(chosen[0]?.text ?? ""), replaced: true, what };
      const now = [...select.selectedOptions];
      const values = now.map((option) => option.value);
      const texts = now.map((option) => dom.fold(option.label || option.text));
      const same = now.length === chosen.length && now.every((option) => chosen.includes(option) || chosen.some((other) => other.value === option.value));
      if (!same) return { problem: "refused", what, value: values.join(", "), detail: "the page chose otherwise" };
      return { method: "select", value: select.multiple ? values : (values[0] ?? ""), text: texts.join(", "), what };
    },

    // Focus for typing. The caret goes to the end unless it is there already; `all` selects what is there.
    caret(number, all) {
      const element = dom.element(number);
      if (!element?.isConnected) return { ok: false };
      const target = element.localName === "label" && element.control ? element.control : element;
      const had = tah.snap.deepActive() === target || (editable(target) && dom.contains(target, tah.snap.deepActive()));
      if (!had) target.focus({ preventScroll: true });
      if (target.localName === "input" || target.localName === "textarea") {
        try {
          if (all) target.select();
          else if (!had) target.setSelectionRange(target.value.length, target.value.length);
        } catch {
          // Numbers, dates and the like have no caret that can be placed.
          if (all) target.select?.();
        }
      } else if (editable(target)) {
        const selection = getSelection();
        const inside = selection.rangeCount && dom.contains(target, selection.focusNode);
        if (all || !had || !inside) {
          selection.selectAllChildren(target);
          if (!all) selection.collapseToEnd();
        }
      }
      const active = tah.snap.deepActive();
      const focused = active === target || dom.contains(target, active);
      return { ok: focused, active: active ? dom.describe(active) : "nothing" };
    },

    // What has the focus here: a field to type into, a frame to look into, or neither.
    focused(start, end) {
      dom.reserve(start, end);
      const active = tah.snap.deepActive();
      if (!active) return { number: 0, used: dom.used };
      if (active.localName === "iframe") return { number: 0, frame: dom.frameKeys.get(active) ?? null, used: dom.used };
      const kind = dom.kind(active);
      const host = active.isContentEditable ? dom.closest(active, (at) => !dom.parent(at)?.isContentEditable) : active;
      const types = host.isContentEditable || host.localName === "textarea" || (host.localName === "input" && kind === "input");
      return { number: dom.number(host), types: Boolean(types), what: dom.describe(host), used: dom.used };
    },

    // The controls one field of a form means; [number, kind, type] each, the visible first.
    fieldsFor(field, start, end) {
      dom.reserve(start, end);
      let found = [];
      let by = "";
      const all = [];
      for (const root of dom.roots()) {
        for (const element of root.querySelectorAll(CONTROLS)) {
          const kind = dom.kind(element);
          if (element.type !== "hidden" && kind && kind !== "button") all.push(element);
        }
      }
      if (field.selector) {
        by = "selector";
        for (const root of dom.roots()) {
          try {
            found.push(...root.querySelectorAll(field.selector));
          } catch {
            return { invalid: `${JSON.stringify(field.selector)} is not a CSS selector`, used: dom.used };
          }
        }
        found = found.map((element) => {
          if (element.localName === "label" && element.control) return element.control;
          return element.matches(CONTROLS) ? element : element.querySelector(CONTROLS) ?? element;
        });
      }
      for (const key of ["name", "label", "placeholder"]) {
        if (found.length || !field[key]) continue;
        by = key;
        const wanted = dom.fold(String(field[key])).replace(/\s*[:：*＊]+$/, "");
        found = all.filter((element) => wordsOf(element, key).includes(wanted));
        if (!found.length) found = all.filter((element) => wordsOf(element, key).some((word) => word && word.toLowerCase() === wanted.toLowerCase()));
        if (!found.length && key === "label") {
          // The caption of a group of radios or checkboxes.
          for (const group of document.querySelectorAll("fieldset,[role=radiogroup],[role=group]")) {
            const legend = group.querySelector(":scope > legend");
            const name = dom.fold(group.getAttribute("aria-label") ?? (legend ? legend.textContent : ""));
            if (name === wanted) found.push(...[...group.querySelectorAll("input[type=radio],input[type=checkbox]")]);
          }
        }
      }
      const shown = (element) => dom.visible(element) || [...(element.labels ?? [])].some(dom.visible);
      const ordered = [...found.filter(shown), ...found.filter((element) => !shown(element))];
      return {
        by,
        matches: ordered.slice(0, 50).map((element) => ({
          number: dom.number(element),
          kind: dom.kind(element) ?? "",
          type: element.type ?? "",
          value: element.type === "radio" || element.type === "checkbox" ? element.value : "",
          label: dom.label(element),
          editor: editable(element),
          shown: shown(element),
        })),
        used: dom.used,
      };
    },

    // The radios of the group this one belongs to.
    group(number, start, end) {
      dom.reserve(start, end);
      const element = control(number);
      if (!element) return { radios: [], used: dom.used };
      const root = element.form ?? element.getRootNode();
      const radios = element.name ? [...root.querySelectorAll("input[type=radio]")].filter((other) => other.name === element.name && other.form === element.form) : [element];
      return { radios: radios.map((radio) => ({ number: dom.number(radio), value: radio.value, label: dom.label(radio, "radio") })), used: dom.used };
    },

    // Submits the form around a field as its own button would.
    submit(number) {
      const element = control(number);
      const form = element?.form ?? (element && dom.closest(element, (at) => at.localName === "form"));
      if (!form) return { ok: false, detail: "the field is in no form" };
      const button = [...form.elements].find((one) => (one.localName === "button" && one.type === "submit") || (one.localName === "input" && (one.type === "submit" || one.type === "image")));
      if (button?.disabled) return { ok: false, detail: `${dom.describe(button)} is disabled` };
      if (!form.noValidate && !button?.formNoValidate && !form.checkValidity()) {
        const wrong = [...form.elements].find((one) => one.willValidate && !one.validity.valid);
        form.requestSubmit(button ?? null);
        return { ok: false, detail: `${dom.describe(wrong)}: ${wrong?.validationMessage ?? "not valid"}` };
      }
      let prevented = null;
      const note = (event) => (prevented = event.defaultPrevented);
      addEventListener("submit", note, { once: true });
      setTimeout(() => {
        if (form.isConnected) form.requestSubmit(button ?? null);
        removeEventListener("submit", note);
      }, 0);
      return { ok: true };
    },
  });

  // A mask (blanks, dashes, thousands) is no refusal; another number is.
  function near(element, got, wanted) {
    if (element.type === "number" || element.type === "range") return got !== "" && Number(got) === Number(wanted);
    if (element.type === "color" || DATES[element.type]) return element.type === "datetime-local" || element.type === "time" ? got !== "" && got.replace(/[:.]00(\.0+)?$/, "") === wanted.replace(" ", "T").replace(/[:.]00(\.0+)?$/, "") : false;
    if (element.type === "email" || element.type === "url") return got === wanted.trim();
    const core = (text) => text.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();
    return got !== "" && core(got) !== "" && core(got) === core(wanted);
  }
}
