// Whether an element can be acted on now, where to press it, what was pressed in the end, and what came of it.
{
  const dom = tah.dom;
  // When anything last moved: a style, a class or a box was changed, or something scrolled.
  const moved = new WeakMap();
  let scrolled = -1e9;

  // Watches what may be in motion and what an action changes. Shadow roots are watched from the next action on.
  const watched = new WeakSet();
  let records = [];
  let collecting = false;
  let lastChange = 0;
  const observer = new MutationObserver((list) => {
    const now = performance.now();
    lastChange = now;
    for (const record of list) {
      if (record.type === "attributes") moved.set(record.target, now);
      else if (record.type === "childList" && record.target.nodeType === 1) moved.set(record.target, now);
    }
    if (collecting && records.length < 5000) records.push(...list);
  });
  const WATCH = { subtree: true, childList: true, characterData: true, attributes: true };
  function watchAll(roots) {
    for (const root of roots) {
      if (watched.has(root)) continue;
      watched.add(root);
      observer.observe(root, WATCH);
    }
  }
  watchAll([document]);
  addEventListener("scroll", () => (scrolled = performance.now()), { capture: true, passive: true });

  const frame = () =>
    new Promise((done) => {
      const timer = setTimeout(done, 60);
      requestAnimationFrame(() => {
        clearTimeout(timer);
        done();
      });
    });
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));

  function hitAt(x, y) {
    let element = document.elementFromPoint(x, y);
    while (element) {
      const inner = dom.shadow(element)?.elementFromPoint(x, y);
      if (!inner || inner === element || !dom.contains(element, inner)) break;
      element = inner;
    }
    return element;
  }

  // Pressing `hit` is pressing `element`: it, something inside it, its label, or what takes presses in its place.
  function isHit(element, hit) {
    if (!hit) return false;
    if (dom.contains(element, hit)) return true;
    const label = dom.closest(hit, (at) => at.localName === "label");
    if (label?.control && (label.control === element || dom.contains(element, label.control))) return true;
    if (element.localName === "label" && element.control && dom.contains(element.control, hit)) return true;
    // A child that lets presses through is pressed at the first thing around it that takes them.
    if (getComputedStyle(element).pointerEvents === "none" && dom.contains(hit, element)) return true;
    // Fields whose own surface lies below their decoration, inside a common small holder.
    return false;
  }

  function boxesOf(element) {
    let boxes = [...element.getClientRects()].filter((box) => box.width > 0 && box.height > 0);
    if (!boxes.length) {
      // Nothing of its own, but its children have boxes (an inline parent, `display: contents`).
      for (const kid of element.querySelectorAll("*")) {
        const box = kid.getBoundingClientRect();
        if (box.width > 0 && box.height > 0) boxes.push(box);
        if (boxes.length > 3) break;
      }
    }
    return boxes;
  }

  // Points worth a try, the best first; inside the viewport.
  function points(boxes) {
    const found = [];
    const whole = boxes.length === 1 ? boxes : [...boxes].sort((a, b) => b.width * b.height - a.width * a.height);
    for (const box of whole.slice(0, 6)) {
      const left = Math.max(box.left, 0);
      const right = Math.min(box.right, innerWidth);
      const top = Math.max(box.top, 0);
      const bottom = Math.min(box.bottom, innerHeight);
      if (right <= left || bottom <= top) continue;
      found.push([(left + right) / 2, (top + bottom) / 2]);
      for (const fx of [0.25, 0.75, 0.5, 0.1, 0.9]) {
        for (const fy of [0.5, 0.25, 0.75, 0.1, 0.9]) {
          if (fx === 0.5 && fy === 0.5) continue;
          found.push([left + (right - left) * fx, top + (bottom - top) * fy]);
        }
      }
    }
    return found;
  }

  function whyHidden(element) {
    if (!element.isConnected) return "is not in the document";
    const gone = dom.closest(element, (at) => getComputedStyle(at).display === "none");
    if (gone) {
      const details = dom.closest(element, (at) => at.localName === "details" && !at.open);
      if (details) return "is inside a closed <details>";
      return gone === element ? "has display: none" : `is inside ${dom.describe(gone)}, which has display: none`;
    }
    if (getComputedStyle(element).visibility !== "visible") return "has visibility: hidden";
    const box = element.getBoundingClientRect();
    if (!element.checkVisibility()) return "is not rendered";
    return `has no size (${box.width} × ${box.height} px)`;
  }

  function moving(element) {
    const now = performance.now();
    if (now - scrolled < 50) return true;
    for (let at = element; at; at = dom.parent(at)) if (now - (moved.get(at) ?? -1e9) < 120) return true;
    for (const animation of document.getAnimations()) {
      const target = animation.effect?.target;
      if (animation.playState === "running" && target && dom.contains(target, element)) {
        const timing = animation.effect.getComputedTiming();
        // An endless animation (a pulsing button) is judged by its box alone.
        if (timing.iterations === Infinity || animation.startTime !== null || animation.pending) return true;
      }
    }
    return false;
  }

  const same = (a, b) => Math.abs(a.left - b.left) < 0.5 && Math.abs(a.top - b.top) < 0.5 && Math.abs(a.width - b.width) < 0.5 && Math.abs(a.height - b.height) < 0.5;

  function wholly(box) {
    return box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight;
  }

  // A checkbox, radio or file input without a surface is pressed at its label.
  function standIn(element) {
    if (element.localName !== "input" || !/^(checkbox|radio|file)$/.test(element.type)) return element;
    const visible = dom.visible(element);
    const box = element.getBoundingClientRect();
    const bare = !visible || box.width < 4 || box.height < 4 || getComputedStyle(element).opacity === "0" || getComputedStyle(element).pointerEvents === "none";
    if (!bare) return element;
    for (const label of element.labels ?? []) if (dom.visible(label)) return label;
    return element;
  }

  // One look: where to press, or why not.
  async function look(number, needs, tries) {
    const wanted = dom.element(number);
    if (!wanted || !wanted.isConnected) return { problem: "gone" };
    if (wanted.localName === "option" || wanted.localName === "optgroup") {
      const select = wanted.closest("select");
      if (select && !select.multiple && select.size < 2) return { problem: "option", detail: dom.describe(select), select: dom.number(select) };
    }
    const element = needs.stand ? standIn(wanted) : wanted;
    if (element.localName !== "option" && !dom.visible(element)) {
      const boxes = dom.rendered(element) && getComputedStyle(element).visibility === "visible" ? boxesOf(element) : [];
      if (!boxes.length) return { problem: "hidden", detail: whyHidden(element) };
    }
    if (needs.enabled) {
      const why = dom.disabled(wanted) ?? dom.disabled(element);
      if (why) return { problem: "disabled", detail: why === "inert" ? "is inside an inert part of the page" : why === "aria-disabled" ? "is marked aria-disabled" : "is disabled" };
      if (needs.editable && (wanted.readOnly || wanted.getAttribute("aria-readonly") === "true")) return { problem: "readonly", detail: "is read-only" };
    }
    let before = element.getBoundingClientRect();
    if (!wholly(before) || clipped(element, before) || tries > 0) {
      const block = ["center", "center", "end", "start"][tries % 4];
      element.scrollIntoView({ block, inline: "center", behavior: "instant" });
      const after = element.getBoundingClientRect();
      if (!same(before, after)) {
        scrolled = performance.now();
        before = after;
      }
    }
    if (moving(element)) {
      await frame();
      before = element.getBoundingClientRect();
      await frame();
      if (!element.isConnected) return { problem: "gone" };
      if (!same(before, element.getBoundingClientRect())) return { problem: "moving", detail: "does not come to rest" };
    }
    if (!needs.hit) return { x: 0, y: 0, stand: element !== wanted };
    const boxes = boxesOf(element);
    const tried = points(boxes);
    if (!tried.length) {
      const box = element.getBoundingClientRect();
      return { problem: "outside", detail: `lies outside of what can be scrolled into view (at ${Math.round(box.left)}, ${Math.round(box.top)})` };
    }
    let coverer = null;
    for (const [x, y] of tried) {
      const hit = hitAt(x, y);
      if (isHit(element, hit) || (element !== wanted && isHit(wanted, hit))) return { x, y, stand: element !== wanted, box: [boxes[0].left, boxes[0].top, boxes[0].width, boxes[0].height] };
      coverer ??= hit;
    }
    if (needs.anyway) return { x: tried[0][0], y: tried[0][1] };
    return { problem: "covered", detail: coverer ? dom.describe(notable(coverer, element)) : "nothing that takes presses" };
  }

  // The coverer by its outermost part that does not hold the target as well.
  function notable(coverer, element) {
    let at = coverer;
    for (let up = dom.parent(at); up && up !== document.body && up !== document.documentElement && !dom.contains(up, element); up = dom.parent(up)) at = up;
    return at;
  }

  // Whether a scroller around the element hides a part of it.
  function clipped(element, box) {
    for (let at = dom.parent(element); at && at !== document.documentElement && at !== document.body; at = dom.parent(at)) {
      const style = getComputedStyle(at);
      if (style.overflowX !== "visible" || style.overflowY !== "visible") {
        const outer = at.getBoundingClientRect();
        if (box.left < outer.left - 1 || box.right > outer.right + 1 || box.top < outer.top - 1 || box.bottom > outer.bottom + 1) return true;
      }
      if (style.position === "fixed") break;
    }
    return false;
  }

  let guard = null;
  const GUARDED = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu"];
  // From the moment a point is chosen until the press, a page may move: then the press must not reach what came there.
  function onPress(event) {
    if (!guard || !event.isTrusted) return;
    if (guard.verdict === null) {
      const path = event.composedPath();
      const hit = hitAt(event.clientX, event.clientY) ?? path[0];
      guard.verdict = path.includes(guard.element) || isHit(guard.element, hit) || isHit(guard.wanted, hit) ? "hit" : "missed";
      guard.what = dom.describe(dom.closest(hit, (at) => dom.kind(at) !== null) ?? hit);
      // What the mouse changed by coming here is not what the press does.
      observer.takeRecords();
      records = [];
    }
    if (event.type === "click" && guard.verdict === "hit") {
      const path = event.composedPath();
      guard.clicked ||= path.includes(guard.element) || path.includes(guard.wanted) || isHit(guard.wanted, path[0]) || isHit(guard.element, path[0]);
    }
    if (guard.verdict === "missed") {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  }
  for (const name of GUARDED) addEventListener(name, onPress, true);

  Object.assign(tah, {
    hitAt,
    standIn,
    pause,
    frame,

    // Waits until the element can be acted on. `needs`: hit, enabled, editable, stand (its label may stand for it).
    async ready(number, needs, budget) {
      const until = performance.now() + budget;
      let last;
      for (let tries = 0; ; tries++) {
        last = await look(number, needs, tries);
        if (!last.problem || last.problem === "gone" || last.problem === "option") break;
        if (performance.now() + 20 > until) break;
        await (tries < 3 ? frame() : pause(50));
      }
      if (last.problem) return last;
      const wanted = dom.element(number);
      if (needs.guard) {
        tah.arm();
        guard = { wanted, element: needs.stand ? standIn(wanted) : wanted, verdict: null, what: "", clicked: false };
      }
      return { ...last, what: dom.describe(wanted), kind: dom.kind(wanted) };
    },

    // Finds and makes ready in one go, where the first look finds something visible.
    async findReady(wanted, needs, start, end, budget) {
      const found = tah.find(wanted, start, end);
      const there = found.count > 0 && found.visible && found.number;
      const ready = there ? await tah.ready(found.number, needs, budget) : null;
      return { found: { ...found, used: dom.used }, ready };
    },

    // What the last press reached; ends the guard. With `ticks`, a press that did reach it first lets run what it queued.
    async pressed(ticks) {
      if (!guard) return { verdict: null, what: "" };
      let { verdict, what, clicked, wanted } = guard;
      guard = null;
      records.push(...takeNow());
      // Pressed here, let go elsewhere, and nothing came of it: it slipped away from under the mouse. Where something did
      // come of it (a menu that opens when the button goes down), it was meant so.
      if (verdict === "hit" && !clicked && wanted.isConnected && !records.length) {
        verdict = "missed";
        what = "nothing: it moves away when the mouse comes";
      }
      for (let i = 0; i < ticks && verdict !== "missed"; i++) await tah.tick();
      return { verdict, what };
    },

    // After the mouse came to a point: whether the element is still there (behaviour 26); from here on changes are noted.
    stillAt(number, x, y, stand) {
      tah.arm();
      const wanted = dom.element(number);
      if (!wanted?.isConnected) return false;
      const hit = hitAt(x, y);
      return isHit(wanted, hit) || (stand && isHit(standIn(wanted), hit));
    },

    // For a frame around: whether a press at this point goes into the iframe.
    intoFrame(key, x, y) {
      const hit = hitAt(x, y);
      if (hit && dom.frameKeys.get(hit) === key) return { ok: true };
      return { ok: false, coverer: dom.describe(hit) };
    },

    // Brings an iframe on the screen.
    showFrame(key) {
      for (const root of dom.roots()) {
        for (const element of root.querySelectorAll("iframe,frame")) {
          if (dom.frameKeys.get(element) === key) element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
        }
      }
      return true;
    },

    focus(number) {
      const element = dom.element(number);
      if (!element?.isConnected) return false;
      element.focus({ preventScroll: true });
      return tah.snap.deepActive() === element || dom.contains(element, tah.snap.deepActive());
    },

    // Starts noting what changes; [url, scroll position].
    arm() {
      watchAll(dom.roots());
      observer.takeRecords();
      records = [];
      collecting = true;
      lastChange = performance.now();
      return true;
    },

    // Lets what the action set in motion run: what is queued, then changes until there are none for a moment.
    async quiet(budget) {
      const until = performance.now() + budget;
      await tah.tick();
      while (performance.now() < until) {
        records.push(...takeNow());
        const since = lastChange;
        await tah.tick();
        records.push(...takeNow());
        if (lastChange === since) break;
        await pause(4);
      }
      return true;
    },

    // What changed since `arm`, as lines: `+` came, `-` went, `~` is different now.
    async changes(start, end, limit, budget) {
      await tah.quiet(budget);
      dom.reserve(start, end);
      records.push(...takeNow());
      collecting = false;
      const seen = records;
      records = [];
      return { ...digest(seen, limit), used: dom.used, url: location.href, title: dom.fold(document.title) };
    },
  });

  function takeNow() {
    const list = observer.takeRecords();
    if (list.length) lastChange = performance.now();
    return list;
  }

  // Whether a text is made of what was told already.
  function known(lines, text) {
    let rest = text;
    for (const line of [...lines].sort((a, b) => b.length - a.length)) {
      const words = line.slice(2);
      if (words && !/^e\d/.test(words)) rest = rest.split(words).join(" ");
      else if (/^e\d/.test(words)) rest = rest.split(/"(.*?)"/.exec(words)?.[1] || "\0").join(" ");
    }
    return !/[\p{L}\p{N}]/u.test(rest);
  }

  // A number in a sentence says nothing without it: the nearest block that reads as one short line.
  function sentence(element) {
    let whole = element;
    while (whole !== document.body && getComputedStyle(whole).display.startsWith("inline")) {
      const above = whole.parentElement;
      if (!above || above.querySelector("a,button,input,select,textarea") || dom.fold(above.textContent).length > 200) break;
      whole = above;
    }
    return whole;
  }

  function digest(list, limit) {
    const { told, line, entry, collect } = tah.snap;
    const active = tah.snap.deepActive();
    const came = new Set();
    const touched = new Set();
    const gone = new Set();
    for (const record of list) {
      if (record.type === "childList") {
        for (const node of record.addedNodes) came.add(node);
        for (const node of record.removedNodes) gone.add(node);
        if (![...record.addedNodes].some((node) => node.nodeType === 1)) touched.add(record.target);
      } else touched.add(record.type === "characterData" ? record.target.parentElement : record.target);
    }
    const lines = [];
    let more = 0;
    const put = (text) => {
      if (lines.includes(text) || (text.startsWith("~ ") && known(lines, text.slice(2)))) return;
      if (lines.join("\n").length + text.length > limit) more += 1;
      else lines.push(text);
    };
    const done = new Set();
    const tell = (one, sign) => {
      if (done.has(one.element)) return;
      done.add(one.element);
      const before = told.get(one.element);
      one.number = dom.number(one.element);
      if (!one.number) return;
      one.brief = true;
      const text = line(one);
      const short = tah.bare(text);
      if (before === short) return;
      told.set(one.element, short);
      put(`${before === undefined ? sign : "~"} ${text}`);
    };
    const show = (root, sign) => {
      for (const one of collect({ scope: root })) {
        if (one.type === "element") tell(one, sign);
        else if ((one.type === "text" || one.type === "heading") && sign === "+") {
          put(`+ ${one.type === "heading" ? "# " : ""}${dom.cut(one.text, 200)}`);
        }
      }
    };
    for (const node of gone) {
      if (node.nodeType !== 1 || node.isConnected) continue;
      const all = [node, ...node.querySelectorAll("*")];
      for (const element of all) {
        const before = told.get(element);
        if (before !== undefined && !done.has(element)) {
          done.add(element);
          told.delete(element);
          put(`- ${before}`);
        }
      }
    }
    for (const node of came) {
      if (!node.isConnected) continue;
      // What came into an editor or a button shows in its own line.
      const around = dom.closest(dom.parent(node), (at) => at.isContentEditable || (dom.kind(at) ?? "other") !== "other");
      if (around && around !== document.body) {
        touched.add(around);
        continue;
      }
      if (node.nodeType === 1) {
        if (dom.SILENT.has(node.localName) || [...came].some((other) => other !== node && other.nodeType === 1 && other.contains(node))) continue;
        show(node, "+");
      } else if (node.nodeType === 3 && node.parentElement) touched.add(node.parentElement);
    }
    for (const node of touched) {
      const element = node?.nodeType === 1 ? node : node?.host ?? null;
      if (!element?.isConnected || came.has(element) || dom.SILENT.has(element.localName)) continue;
      const control = dom.closest(element, (at) => told.has(at) || dom.kind(at) !== null);
      if (control && control !== document.body) {
        if (dom.visible(control)) tell(entry(control, dom.kind(control) ?? "other", null, 0, active), "+");
        else if (told.has(control)) {
          put(`- ${told.get(control)}`);
          told.delete(control);
        }
        continue;
      }
      const shown = dom.visible(element);
      const words = list.some((record) => record.target === element || record.target.parentNode === element ? record.type !== "attributes" : false);
      const turned = list.some((record) => record.target === element && record.type === "attributes" && /^(class|style|hidden|open|aria-hidden|aria-expanded)$/.test(record.attributeName));
      if (turned && element !== document.body && element !== document.documentElement) {
        if (shown) {
          for (const one of collect({ scope: element })) {
            if (one.type === "element") tell(one, "+");
          }
          const text = dom.text(sentence(element), 200);
          if (text && text.length <= 200 && !element.querySelector("a,button,input,select,textarea")) put(`~ ${text}`);
        } else {
          for (const inner of [element, ...element.querySelectorAll("*")]) {
            if (told.has(inner)) {
              put(`- ${told.get(inner)}`);
              told.delete(inner);
            }
          }
        }
      } else if (shown && words && element !== document.body) put(`~ ${dom.cut(dom.text(sentence(element), 200), 200)}`);
    }
    return { lines, more, mutations: list.length };
  }
}
