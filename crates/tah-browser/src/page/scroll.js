// Scrolling: to an element, to an end, or by pixels in whatever scrolls at the middle of the screen.
{
  const dom = tah.dom;
  const page = () => document.scrollingElement ?? document.documentElement;

  function scrolls(element, dx, dy) {
    if (element === page()) return true;
    const style = getComputedStyle(element);
    const can = (overflow, size, client) => size > client + 1 && /auto|scroll|overlay/.test(overflow);
    return (dy !== 0 && can(style.overflowY, element.scrollHeight, element.clientHeight)) || (dx !== 0 && can(style.overflowX, element.scrollWidth, element.clientWidth));
  }

  function room(element) {
    return {
      up: Math.round(element.scrollTop),
      down: Math.max(0, Math.round(element.scrollHeight - element.clientHeight - element.scrollTop)),
      left: Math.round(element.scrollLeft),
      right: Math.max(0, Math.round(element.scrollWidth - element.clientWidth - element.scrollLeft)),
    };
  }

  // The innermost thing at the middle that has room in the direction, else the page.
  function scroller(dx, dy) {
    const middle = tah.hitAt(innerWidth / 2, innerHeight / 2);
    for (let at = middle; at && at !== document.body && at !== document.documentElement; at = dom.parent(at)) {
      if (!scrolls(at, dx, dy)) continue;
      const left = room(at);
      if ((dy > 0 && left.down) || (dy < 0 && left.up) || (dx > 0 && left.right) || (dx < 0 && left.left)) return at;
    }
    // A page whose body is a fixed frame around one long panel.
    const whole = page();
    if (whole.scrollHeight <= whole.clientHeight + 1 && whole.scrollWidth <= whole.clientWidth + 1) {
      let best = null;
      for (const element of document.querySelectorAll("*")) {
        if (scrolls(element, dx, dy) && element !== whole && dom.visible(element)) {
          const area = element.clientWidth * element.clientHeight;
          if (!best || area > best.clientWidth * best.clientHeight) best = element;
        }
      }
      if (best) return best;
    }
    return whole;
  }

  Object.assign(tah, {
    // { moved: [x, y], position: [x, y], left: room, what } ; `how`: dx, dy or end ("top", "bottom").
    async scroll(how) {
      const middle = tah.hitAt(innerWidth / 2, innerHeight / 2);
      if (middle?.localName === "iframe" && !how.outer) {
        const key = dom.frameKeys.get(middle);
        if (key) return { frame: key };
      }
      const dx = how.dx ?? 0;
      const dy = how.end === "top" ? -1 : how.end === "bottom" ? 1 : how.dy ?? Math.round(innerHeight * 0.85);
      const element = scroller(dx, dy);
      const [x, y] = [element.scrollLeft, element.scrollTop];
      if (how.end) element.scrollTo({ top: how.end === "top" ? 0 : element.scrollHeight, behavior: "instant" });
      else element.scrollBy({ left: dx, top: dy, behavior: "instant" });
      await tah.frame();
      await tah.tick();
      return {
        moved: [Math.round(element.scrollLeft - x), Math.round(element.scrollTop - y)],
        position: [Math.round(element.scrollLeft), Math.round(element.scrollTop)],
        left: room(element),
        what: element === page() ? "page" : dom.describe(element),
      };
    },

    async scrollTo(number) {
      const element = dom.element(number);
      if (!element?.isConnected) return null;
      const before = element.getBoundingClientRect();
      element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      await tah.frame();
      const after = element.getBoundingClientRect();
      return {
        moved: [Math.round(before.left - after.left), Math.round(before.top - after.top)],
        position: [Math.round(page().scrollLeft), Math.round(page().scrollTop)],
        left: room(page()),
        what: dom.describe(element),
      };
    },

    // What is at a point outside of the viewport once one scrolls there; nothing stays scrolled.
    beyond(x, y) {
      const whole = page();
      const [left, top] = [whole.scrollLeft, whole.scrollTop];
      whole.scrollTo({ left: left + x - innerWidth / 2, top: top + y - innerHeight / 2, behavior: "instant" });
      const [dx, dy] = [whole.scrollLeft - left, whole.scrollTop - top];
      const hit = tah.hitAt(x - dx, y - dy);
      const what = hit && hit !== document.documentElement && hit !== document.body ? dom.describe(dom.closest(hit, (at) => dom.kind(at) !== null) ?? hit) : null;
      whole.scrollTo({ left, top, behavior: "instant" });
      return what;
    },
  });
}
