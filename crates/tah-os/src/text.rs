//! Foreign text made safe to show, and cutting that never splits a character.
