//! The DevTools protocol as it goes over the wire: the envelope, and of each command and event only the fields we use.
//! Enumerations stay strings, so that a newer Chrome's new value never fails a whole message.
//! Source: <https://chromedevtools.github.io/devtools-protocol/tot/>.

use std::borrow::Cow;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;

/// One message from the browser; params and result stay unparsed until somebody wants them.
#[derive(Deserialize)]
pub(super) struct Envelope<'a> {
    pub id: Option<u64>,
    #[serde(borrow)]
    pub method: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "sessionId")]
    pub session: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub params: Option<&'a RawValue>,
    #[serde(borrow)]
    pub result: Option<&'a RawValue>,
    pub error: Option<WireError>,
}

/// The error of a refused command.
#[derive(Debug, Clone, Deserialize)]
pub struct WireError {
    pub code: i64,
    pub message: String,
    pub data: Option<String>,
}

/// One message to the browser.
#[derive(Serialize)]
pub(super) struct Request<'a, P: Serialize> {
    pub id: u64,
    pub method: &'static str,
    #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
    pub session: Option<&'a str>,
    pub params: &'a P,
}

/// A command: its name, its parameters (the type itself) and its reply.
pub trait Command: Serialize {
    const METHOD: &'static str;
    type Reply: DeserializeOwned + Send + 'static;
}

/// The reply of commands that answer `{}` or something we don't read.
#[derive(Debug, Default, Deserialize)]
pub struct Done {}

macro_rules! commands {
    ($( $(#[$doc:meta])* $name:ident = $method:literal { $($field:ident : $ty:ty),* $(,)? } -> $reply:ty; )*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Default, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name { $( #[serde(skip_serializing_if = "Unset::unset")] pub $field: $ty, )* }
        impl Command for $name { const METHOD: &'static str = $method; type Reply = $reply; }
    )*};
}

/// Whether a field is left out of the message.
trait Unset {
    fn unset(&self) -> bool {
        false
    }
}
impl<T> Unset for Option<T> {
    fn unset(&self) -> bool {
        self.is_none()
    }
}
macro_rules! always_set { ($($ty:ty),*) => { $( impl Unset for $ty {} )* } }
always_set!(String, bool, f64, i64, u32, serde_json::Value);
impl<T> Unset for Vec<T> {}

commands! {
    BrowserClose = "Browser.close" {} -> Done;
    BrowserVersion = "Browser.getVersion" {} -> Version;
    SetDownloadBehavior = "Browser.setDownloadBehavior" { behavior: String, download_path: Option<String>, events_enabled: bool } -> Done;
    CancelDownload = "Browser.cancelDownload" { guid: String } -> Done;

    SetAutoAttach = "Target.setAutoAttach" {
        auto_attach: bool, wait_for_debugger_on_start: bool, flatten: bool, filter: Option<Vec<TargetFilter>>
    } -> Done;
    SetDiscoverTargets = "Target.setDiscoverTargets" { discover: bool, filter: Option<Vec<TargetFilter>> } -> Done;
    AttachToTarget = "Target.attachToTarget" { target_id: String, flatten: bool } -> Attached;
    DetachFromTarget = "Target.detachFromTarget" { session_id: String } -> Done;
    CreateTarget = "Target.createTarget" { url: String, new_window: Option<bool>, background: Option<bool> } -> CreatedTarget;
    CloseTarget = "Target.closeTarget" { target_id: String } -> Done;
    ActivateTarget = "Target.activateTarget" { target_id: String } -> Done;
    GetTargets = "Target.getTargets" {} -> Targets;

    PageEnable = "Page.enable" {} -> Done;
    SetLifecycleEvents = "Page.setLifecycleEventsEnabled" { enabled: bool } -> Done;
    GetFrameTree = "Page.getFrameTree" {} -> FrameTreeReply;
    Navigate = "Page.navigate" { url: String } -> Navigated;
    Reload = "Page.reload" {} -> Done;
    StopLoading = "Page.stopLoading" {} -> Done;
    GetNavigationHistory = "Page.getNavigationHistory" {} -> NavigationHistory;
    NavigateToHistoryEntry = "Page.navigateToHistoryEntry" { entry_id: i64 } -> Done;
    AddScript = "Page.addScriptToEvaluateOnNewDocument" {
        source: String, world_name: Option<String>, run_immediately: Option<bool>
    } -> Done;
    CreateIsolatedWorld = "Page.createIsolatedWorld" { frame_id: String, world_name: String } -> World;
    HandleDialog = "Page.handleJavaScriptDialog" { accept: bool, prompt_text: Option<String> } -> Done;
    CaptureScreenshot = "Page.captureScreenshot" {
        format: String, quality: Option<i64>, clip: Option<Clip>, capture_beyond_viewport: Option<bool>, optimize_for_speed: Option<bool>
    } -> Screenshot;
    LayoutMetrics = "Page.getLayoutMetrics" {} -> Metrics;
    InterceptFileChooser = "Page.setInterceptFileChooserDialog" { enabled: bool } -> Done;
    BringToFront = "Page.bringToFront" {} -> Done;
    CrashPage = "Page.crash" {} -> Done;

    RuntimeEnable = "Runtime.enable" {} -> Done;
    RunIfWaiting = "Runtime.runIfWaitingForDebugger" {} -> Done;
    TerminateExecution = "Runtime.terminateExecution" {} -> Done;
    Evaluate = "Runtime.evaluate" {
        expression: String, context_id: Option<i64>, unique_context_id: Option<String>, return_by_value: Option<bool>, await_promise: Option<bool>,
        user_gesture: Option<bool>, object_group: Option<String>, timeout: Option<f64>,
        include_command_line_a_p_i: Option<bool>, allow_unsafe_eval_blocked_by_c_s_p: Option<bool>, repl_mode: Option<bool>
    } -> Evaluated;
    CallFunctionOn = "Runtime.callFunctionOn" {
        function_declaration: String, object_id: Option<String>, execution_context_id: Option<i64>, unique_context_id: Option<String>, arguments: Vec<CallArgument>,
        return_by_value: Option<bool>, await_promise: Option<bool>, user_gesture: Option<bool>, object_group: Option<String>
    } -> Evaluated;
    GetProperties = "Runtime.getProperties" { object_id: String, own_properties: Option<bool> } -> Properties;
    ReleaseObject = "Runtime.releaseObject" { object_id: String } -> Done;
    ReleaseObjectGroup = "Runtime.releaseObjectGroup" { object_group: String } -> Done;

    DomEnable = "DOM.enable" {} -> Done;
    GetDocument = "DOM.getDocument" { depth: Option<i64>, pierce: Option<bool> } -> serde_json::Value;
    DescribeNode = "DOM.describeNode" {
        backend_node_id: Option<i64>, object_id: Option<String>, depth: Option<i64>, pierce: Option<bool>
    } -> DescribedNode;
    ResolveNode = "DOM.resolveNode" { backend_node_id: Option<i64>, execution_context_id: Option<i64>, object_group: Option<String> } -> ResolvedNode;
    GetFrameOwner = "DOM.getFrameOwner" { frame_id: String } -> FrameOwner;
    GetBoxModel = "DOM.getBoxModel" { backend_node_id: Option<i64>, object_id: Option<String> } -> BoxModelReply;
    SetFileInputFiles = "DOM.setFileInputFiles" { files: Vec<String>, backend_node_id: Option<i64>, object_id: Option<String> } -> Done;
    GetFullAxTree = "Accessibility.getFullAXTree" { frame_id: Option<String> } -> serde_json::Value;
    GetPartialAxTree = "Accessibility.getPartialAXTree" { object_id: Option<String>, fetch_relatives: Option<bool> } -> serde_json::Value;
    GetEventListeners = "DOMDebugger.getEventListeners" { object_id: String } -> serde_json::Value;

    MouseEvent = "Input.dispatchMouseEvent" {
        r#type: String, x: f64, y: f64, modifiers: Option<i64>, button: Option<String>, buttons: Option<i64>,
        click_count: Option<i64>, delta_x: Option<f64>, delta_y: Option<f64>
    } -> Done;
    KeyEvent = "Input.dispatchKeyEvent" {
        r#type: String, modifiers: Option<i64>, text: Option<String>, unmodified_text: Option<String>, key: Option<String>,
        code: Option<String>, windows_virtual_key_code: Option<i64>, native_virtual_key_code: Option<i64>, location: Option<i64>,
        is_keypad: Option<bool>, auto_repeat: Option<bool>, commands: Option<Vec<String>>
    } -> Done;
    InsertText = "Input.insertText" { text: String } -> Done;
    SetInterceptDrags = "Input.setInterceptDrags" { enabled: bool } -> Done;
    DragEvent = "Input.dispatchDragEvent" { r#type: String, x: f64, y: f64, data: serde_json::Value, modifiers: Option<i64> } -> Done;

    NetworkEnable = "Network.enable" { max_total_buffer_size: Option<i64>, max_resource_buffer_size: Option<i64> } -> Done;
    SetCookie = "Storage.setCookies" { cookies: serde_json::Value } -> Done;
    GetCookies = "Storage.getCookies" {} -> Cookies;
    FetchEnable = "Fetch.enable" { patterns: Option<serde_json::Value> } -> Done;
    TakeBody = "Fetch.takeResponseBodyAsStream" { request_id: String } -> BodyStream;
    IoRead = "IO.read" { handle: String, size: Option<i64> } -> IoChunk;
    IoClose = "IO.close" { handle: String } -> Done;
    FetchContinue = "Fetch.continueRequest" { request_id: String } -> Done;
    FetchFail = "Fetch.failRequest" { request_id: String, error_reason: String } -> Done;
    InspectorEnable = "Inspector.enable" {} -> Done;
    LogEnable = "Log.enable" {} -> Done;
    SetFocusEmulation = "Emulation.setFocusEmulationEnabled" { enabled: bool } -> Done;
}

macro_rules! shapes {
    ($( $(#[$doc:meta])* $name:ident { $($(#[$fa:meta])* $field:ident : $ty:ty),* $(,)? } )*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name { $( $(#[$fa])* pub $field: $ty, )* }
    )*};
}

/// Which targets auto-attach takes.
#[derive(Debug, Clone, Default, Serialize)]
pub struct TargetFilter {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exclude: bool,
}

/// An argument of `Runtime.callFunctionOn`: a JSON value or a handle.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallArgument {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_id: Option<String>,
}

/// The part of the page a screenshot takes, in CSS pixels.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Clip {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
    pub scale: f64,
}

shapes! {
    Version { product: String, user_agent: String }
    Attached { session_id: String }
    CreatedTarget { target_id: String }
    Targets { target_infos: Vec<TargetInfo> }
    TargetInfo {
        target_id: String, #[serde(rename = "type")] kind: String, #[serde(default)] title: String, #[serde(default)] url: String,
        opener_id: Option<String>, parent_frame_id: Option<String>, browser_context_id: Option<String>
    }
    FrameTreeReply { frame_tree: FrameTree }
    FrameTree { frame: FrameInfo, #[serde(default)] child_frames: Vec<FrameTree> }
    FrameInfo {
        id: String, parent_id: Option<String>, #[serde(default)] loader_id: String, name: Option<String>, #[serde(default)] url: String,
        url_fragment: Option<String>, unreachable_url: Option<String>, #[serde(default)] mime_type: String
    }
    Navigated { frame_id: String, loader_id: Option<String>, error_text: Option<String>, is_download: Option<bool> }
    NavigationHistory { current_index: i64, entries: Vec<NavigationEntry> }
    NavigationEntry { id: i64, url: String, title: String }
    World { execution_context_id: i64 }
    Screenshot { data: String }
    Metrics { css_layout_viewport: Viewport, css_content_size: Size }
    Viewport { client_width: f64, client_height: f64, page_x: f64, page_y: f64 }
    Size { width: f64, height: f64 }
    Evaluated { result: RemoteObject, exception_details: Option<ExceptionDetails> }
    RemoteObject {
        #[serde(rename = "type")] kind: String, subtype: Option<String>, class_name: Option<String>, value: Option<serde_json::Value>,
        unserializable_value: Option<String>, description: Option<String>, object_id: Option<String>, preview: Option<Preview>
    }
    Preview { #[serde(default)] overflow: bool, #[serde(default)] properties: Vec<PreviewProperty> }
    PreviewProperty { name: String, #[serde(rename = "type")] kind: String, value: Option<String> }
    ExceptionDetails {
        #[serde(default)] text: String, exception: Option<RemoteObject>, #[serde(default)] line_number: i64,
        #[serde(default)] column_number: i64, url: Option<String>
    }
    Properties { result: Vec<Property> }
    Property { name: String, value: Option<RemoteObject> }
    DescribedNode { node: serde_json::Value }
    ResolvedNode { object: RemoteObject }
    FrameOwner { backend_node_id: i64 }
    BoxModelReply { model: BoxModel }
    /// Quads are four corners, clockwise from the top left, in pixels of the viewport of the session's root frame.
    BoxModel { content: Vec<f64>, border: Vec<f64>, width: f64, height: f64 }
    Cookies { cookies: Vec<serde_json::Value> }

    AttachedToTarget { session_id: String, target_info: TargetInfo, waiting_for_debugger: bool }
    DetachedFromTarget { session_id: String }
    TargetInfoChanged { target_info: TargetInfo }
    FrameAttached { frame_id: String, parent_frame_id: String }
    FrameDetached { frame_id: String, #[serde(default)] reason: String }
    FrameNavigated { frame: FrameInfo }
    NavigatedWithinDocument { frame_id: String, url: String }
    FrameOnly { frame_id: String }
    FrameRequestedNavigation { frame_id: String, #[serde(default)] url: String, #[serde(default)] disposition: String }
    FrameStartedNavigating { frame_id: String, #[serde(default)] url: String, loader_id: String, #[serde(default)] navigation_type: String }
    LifecycleEvent { frame_id: String, loader_id: String, name: String }
    DialogOpening {
        #[serde(default)] url: String, #[serde(default)] message: String, #[serde(rename = "type")] kind: String,
        default_prompt: Option<String>, frame_id: Option<String>
    }
    DialogClosed { result: bool, #[serde(default)] user_input: String }
    FileChooserOpened { frame_id: String, mode: String, backend_node_id: Option<i64> }
    ContextCreated { context: ContextInfo }
    ContextInfo { id: i64, unique_id: String, name: String, #[serde(default)] origin: String, aux_data: Option<ContextAux> }
    ContextAux { frame_id: Option<String>, #[serde(default)] is_default: bool }
    ContextDestroyed { #[serde(default)] execution_context_unique_id: String }
    ConsoleCalled {
        #[serde(rename = "type")] kind: String, #[serde(default)] args: Vec<RemoteObject>, #[serde(default)] timestamp: f64,
        stack_trace: Option<StackTrace>
    }
    StackTrace { #[serde(default)] call_frames: Vec<CallFrame> }
    CallFrame { #[serde(default)] url: String, #[serde(default)] line_number: i64 }
    ExceptionThrown { exception_details: ExceptionDetails }
    LogEntryAdded { entry: LogEntry }
    LogEntry { level: String, text: String, url: Option<String>, line_number: Option<i64> }
    DownloadWillBegin { frame_id: String, guid: String, url: String, suggested_filename: String }
    DownloadProgress { guid: String, #[serde(default)] total_bytes: f64, #[serde(default)] received_bytes: f64, state: String, file_path: Option<String> }
    RequestWillBeSent {
        request_id: String, #[serde(default)] loader_id: String, request: RequestInfo, #[serde(default, rename = "type")] kind: String,
        frame_id: Option<String>, #[serde(default)] timestamp: f64
    }
    RequestInfo { url: String, method: String }
    ResponseReceived {
        request_id: String, #[serde(default, rename = "type")] kind: String, response: ResponseInfo, frame_id: Option<String>,
        #[serde(default)] loader_id: String
    }
    ResponseInfo { url: String, status: i64, #[serde(default)] status_text: String, #[serde(default)] mime_type: String, #[serde(rename = "remoteIPAddress")] remote_ip: Option<String> }
    LoadingFinished { request_id: String, #[serde(default)] encoded_data_length: f64 }
    LoadingFailed { request_id: String, #[serde(default)] error_text: String, #[serde(default)] canceled: bool, blocked_reason: Option<String> }
    BodyStream { stream: String }
    IoChunk { #[serde(default)] base64_encoded: bool, data: String, eof: bool }
    Header { name: String, value: String }
    RequestPaused { response_status_code: Option<i64>, response_error_reason: Option<String>, #[serde(default)] response_headers: Vec<Header>, request_id: String, request: RequestInfo, #[serde(default)] resource_type: String, frame_id: Option<String> }
    DragIntercepted { data: serde_json::Value }
}
