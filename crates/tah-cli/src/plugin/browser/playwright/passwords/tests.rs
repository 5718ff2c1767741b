//! Passwords never reach the model by way of a result.

use super::*;
use serde_json::json;

#[test]
fn bp_p8a_passwords_one_is_masked_wherever_it_stands() {
    let text =
        "- textbox \"Login\" [ref=e30]: ada\n- textbox \"Code\" [ref=e31]: hunter2\nawait x.fill('hunter2');";
    let masked = mask(text, &json!({}), &["hunter2".to_owned()], Shown::Known);
    assert_eq!(masked.matches(MASK).count(), 2, "{masked}");
    assert!(!masked.contains("hunter2") && masked.contains(": ada"));
}

#[test]
fn bp_p8a_passwords_a_short_one_does_not_eat_other_text() {
    let text = "- textbox \"x\" [ref=e1]: abc\n- paragraph: the abc of it\n.fill('abc')";
    let masked = mask(text, &json!({}), &["abc".to_owned()], Shown::Known);
    assert_eq!(
        masked,
        format!("- textbox \"x\" [ref=e1]: {MASK}\n- paragraph: the abc of it\n.fill('{MASK}')")
    );
}

#[test]
fn bp_p8a_passwords_a_field_that_is_called_so_is_masked_by_its_name() {
    let text = "  - textbox \"Your password\" [active] [ref=f2e3]: swordfish\n  - textbox \"密码\" [ref=e4]: 芝麻开门";
    let masked = mask(text, &json!({}), &[], Shown::Known);
    assert_eq!(masked.matches(MASK).count(), 2, "{masked}");
    let fields = json!({"fields": [
        {"name": "Password", "value": "it's me"},
        {"name": "Name", "value": "Ada Lovelace"},
    ]});
    let masked = mask(".fill('it\\'s me') .fill('Ada Lovelace')", &fields, &[], Shown::Known);
    assert_eq!(masked, format!(".fill('{MASK}') .fill('Ada Lovelace')"));
}

#[test]
fn bp_p8a_passwords_of_a_page_that_does_not_say_hide_every_value() {
    let text = "- textbox \"Na: me\" [ref=e1]: Ada\n  - 'textbox \"a: b\" [ref=e2]': one: two\n- textbox [ref=e3]: x\n\
                - textbox \"empty\" [ref=e4]\n- paragraph: textbox: y";
    let masked = mask(text, &json!({}), &[], Shown::Unknown);
    let wanted = format!(
        "- textbox \"Na: me\" [ref=e1]: {MASK}\n  - 'textbox \"a: b\" [ref=e2]': {MASK}\n- textbox [ref=e3]: {MASK}\n\
         - textbox \"empty\" [ref=e4]\n- paragraph: textbox: y"
    );
    assert_eq!(masked, wanted);
    let named = mask("- 'textbox \"Password: new\" [ref=e2]': s", &json!({}), &[], Shown::Known);
    assert!(named.ends_with(MASK), "{named}");
}

#[test]
fn the_values_are_read_out_of_playwrights_answer() {
    let text = "### Result\n[\n  \"hunter2\",\n  \"]\\\"\"\n]\n### Ran Playwright code\n```js\n[1]\n```";
    assert_eq!(read(text), ["hunter2", "]\""]);
    assert_eq!(read("### Error\nno"), Vec::<String>::new());
}
