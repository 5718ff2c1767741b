//! Names that models know from the other browser tools, and what they are called here.

/// The tool that was meant; `None` for a name nobody uses.
pub fn right_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "browser_navigate" | "browser_goto" => "browser_open",
        "browser_navigate_back" | "browser_go_back" => "browser_back",
        "browser_navigate_forward" | "browser_go_forward" => "browser_forward",
        "browser_reload" => "browser_refresh",
        "browser_fill_form" => "browser_fill",
        "browser_select_option" => "browser_select",
        "browser_press_key" | "browser_press" => "browser_key",
        "browser_wait_for" => "browser_wait",
        "browser_tabs" | "browser_tab_list" => "browser_list_tabs",
        "browser_tab_select" => "browser_switch_tab",
        "browser_tab_close" => "browser_close_tab",
        "browser_tab_new" => "browser_open with newTab: true",
        "browser_take_screenshot" => "browser_screenshot",
        "browser_handle_dialog" => "browser_dialog",
        "browser_file_upload" => "browser_upload",
        "browser_console_messages" => "browser_console",
        "browser_evaluate" | "browser_run_code" | "browser_run_code_unsafe" => "browser_execute",
        "browser_network_requests" | "browser_network_request" => "browser_network",
        "browser_get_text" | "browser_extract" => "browser_content",
        "browser_uncheck" => "browser_check with checked: false",
        "browser_hover_element" => "browser_hover",
        "browser_drop" => "browser_drag",
        _ => return None,
    })
}
