//! Passwords never reach the model by way of a result.

use super::*;
use serde_json::json;

#[test]
fn bp_p8a_a_password_is_masked_wherever_it_stands() {
    let text =
        "- textbox \"Login\" [ref=e30]: ada\n- textbox \"Code\" [ref=e31]: hunter2\nawait x.fill('hunter2');";
    let masked = mask(text, &json!({}), &["hunter2".to_owned()]);
    assert_eq!(masked.matches(MASK).count(), 2, "{masked}");
    assert!(!masked.contains("hunter2") && masked.contains(": ada"));
}

#[test]
fn bp_p8a_a_short_password_does_not_eat_other_text() {
    let text = "- textbox \"x\" [ref=e1]: abc\n- paragraph: the abc of it\n.fill('abc')";
    let masked = mask(text, &json!({}), &["abc".to_owned()]);
    assert_eq!(
        masked,
        format!("- textbox \"x\" [ref=e1]: {MASK}\n- paragraph: the abc of it\n.fill('{MASK}')")
    );
}

#[test]
fn bp_p8a_a_field_that_is_called_a_password_is_masked_by_its_name() {
    let text = "  - textbox \"Your password\" [active] [ref=f2e3]: swordfish\n  - textbox \"密码\" [ref=e4]: 芝麻开门";
    let masked = mask(text, &json!({}), &[]);
    assert_eq!(masked.matches(MASK).count(), 2, "{masked}");
    let fields = json!({"fields": [
        {"name": "Password", "value": "it's me"},
        {"name": "Name", "value": "Ada Lovelace"},
    ]});
    let masked = mask(".fill('it\\'s me') .fill('Ada Lovelace')", &fields, &[]);
    assert_eq!(masked, format!(".fill('{MASK}') .fill('Ada Lovelace')"));
}

#[test]
fn the_values_are_read_out_of_playwrights_answer() {
    let text = "### Result\n[\n  \"hunter2\",\n  \"]\\\"\"\n]\n### Ran Playwright code\n```js\n[1]\n```";
    assert_eq!(read(text), ["hunter2", "]\""]);
    assert_eq!(read("### Error\nno"), Vec::<String>::new());
}
