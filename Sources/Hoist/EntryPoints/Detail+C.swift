internal import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistJSON

@_cdecl("hoist_detail_key") @implementation
public func hoist_detail_key(_ detail: OpaquePointer?) -> UnsafePointer<CChar>? { text(detail) { $0.key } }

@_cdecl("hoist_detail_enabled") @implementation
public func hoist_detail_enabled(_ detail: OpaquePointer?) -> Bool {
  Handle<EvaluationDetail>.borrow(detail)?.enabled ?? false
}

@_cdecl("hoist_detail_variation") @implementation
public func hoist_detail_variation(_ detail: OpaquePointer?) -> UnsafePointer<CChar>? { text(detail) { $0.variation } }

@_cdecl("hoist_detail_value") @implementation
public func hoist_detail_value(_ detail: OpaquePointer?) -> UnsafePointer<CChar>? { text(detail) { $0.value } }

@_cdecl("hoist_detail_bool") @implementation
public func hoist_detail_bool(_ detail: OpaquePointer?, _ fallback: Bool) -> Bool { value(detail) { $0.bool } ?? fallback }

@_cdecl("hoist_detail_int64") @implementation
public func hoist_detail_int64(_ detail: OpaquePointer?, _ fallback: Int64) -> Int64 { value(detail) { $0.int64 } ?? fallback }

@_cdecl("hoist_detail_double") @implementation
public func hoist_detail_double(_ detail: OpaquePointer?, _ fallback: Double) -> Double {
  value(detail) { $0.double } ?? fallback
}

@_cdecl("hoist_detail_string") @implementation
public func hoist_detail_string(
  _ detail: OpaquePointer?, _ fallback: UnsafePointer<CChar>?, _ length: UnsafeMutablePointer<Int>?
) -> UnsafePointer<CChar>? {
  let text = Handle<EvaluationDetail>.borrow(detail)?.text
  length?.pointee = text?.count ?? fallback.map { CString.bytes($0).count } ?? 0
  return text?.pointer ?? fallback
}

@_cdecl("hoist_detail_reason") @implementation
public func hoist_detail_reason(_ detail: OpaquePointer?) -> UnsafePointer<CChar>? {
  Handle<EvaluationDetail>.borrow(detail).map { Constants.pointer($0.reason.text) }
}

@_cdecl("hoist_detail_error_code") @implementation
public func hoist_detail_error_code(_ detail: OpaquePointer?) -> UnsafePointer<CChar>? {
  Handle<EvaluationDetail>.borrow(detail).map { Constants.pointer($0.errorCode.text) }
}

@_cdecl("hoist_detail_error_message") @implementation
public func hoist_detail_error_message(_ detail: OpaquePointer?) -> UnsafePointer<CChar>? {
  text(detail) { $0.errorMessage }
}

@_cdecl("hoist_detail_metadata") @implementation
public func hoist_detail_metadata(_ detail: OpaquePointer?) -> UnsafePointer<CChar>? { text(detail) { $0.metadata } }

@_cdecl("hoist_detail_explanation") @implementation
public func hoist_detail_explanation(_ detail: OpaquePointer?) -> UnsafePointer<CChar>? {
  text(detail) { $0.explanation }
}

@_cdecl("hoist_detail_to_json") @implementation
public func hoist_detail_to_json(_ detail: OpaquePointer?) -> OpaquePointer? {
  Handle<EvaluationDetail>.borrow(detail).map { TextHandle.give($0.json()) }
}

@_cdecl("hoist_detail_free") @implementation
public func hoist_detail_free(_ detail: OpaquePointer?) { Handle<EvaluationDetail>.take(detail) }

private func text(_ detail: OpaquePointer?, _ member: (EvaluationDetail) -> CText) -> UnsafePointer<CChar>? {
  Handle<EvaluationDetail>.borrow(detail).map { member($0).pointer }
}

private func value<Value>(_ detail: OpaquePointer?, _ read: (JSONNode) -> Value?) -> Value? {
  (Handle<EvaluationDetail>.borrow(detail)?.value).flatMap { text in (try? JSONNode.parse(ByteView(text.buffer), read)) ?? nil }
}
