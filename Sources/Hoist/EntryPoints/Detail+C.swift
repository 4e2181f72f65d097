internal import CHoist
internal import HoistCore

@_cdecl("hoist_detail_key") @implementation
public func hoist_detail_key(_ detail: OpaquePointer?) -> UnsafePointer<CChar> { text(detail) { $0.key } }

@_cdecl("hoist_detail_enabled") @implementation
public func hoist_detail_enabled(_ detail: OpaquePointer?) -> Bool {
  Handle<EvaluationDetail>.borrow(detail)?.enabled ?? false
}

@_cdecl("hoist_detail_variation") @implementation
public func hoist_detail_variation(_ detail: OpaquePointer?) -> UnsafePointer<CChar> { text(detail) { $0.variation } }

@_cdecl("hoist_detail_value") @implementation
public func hoist_detail_value(_ detail: OpaquePointer?) -> UnsafePointer<CChar> { text(detail) { $0.value } }

@_cdecl("hoist_detail_reason") @implementation
public func hoist_detail_reason(_ detail: OpaquePointer?) -> UnsafePointer<CChar> {
  Constants.pointer(Handle<EvaluationDetail>.borrow(detail)?.reason.text ?? "")
}

@_cdecl("hoist_detail_error_code") @implementation
public func hoist_detail_error_code(_ detail: OpaquePointer?) -> UnsafePointer<CChar> {
  Constants.pointer(Handle<EvaluationDetail>.borrow(detail)?.errorCode.text ?? "")
}

@_cdecl("hoist_detail_error_message") @implementation
public func hoist_detail_error_message(_ detail: OpaquePointer?) -> UnsafePointer<CChar> {
  text(detail) { $0.errorMessage }
}

@_cdecl("hoist_detail_metadata") @implementation
public func hoist_detail_metadata(_ detail: OpaquePointer?) -> UnsafePointer<CChar> { text(detail) { $0.metadata } }

@_cdecl("hoist_detail_explanation") @implementation
public func hoist_detail_explanation(_ detail: OpaquePointer?) -> UnsafePointer<CChar> {
  text(detail) { $0.explanation }
}

@_cdecl("hoist_detail_to_json") @implementation
public func hoist_detail_to_json(_ detail: OpaquePointer?) -> OpaquePointer? {
  Handle<EvaluationDetail>.borrow(detail).map { TextHandle.give($0.json()) }
}

@_cdecl("hoist_detail_free") @implementation
public func hoist_detail_free(_ detail: OpaquePointer?) { Handle<EvaluationDetail>.take(detail) }

private func text(_ detail: OpaquePointer?, _ member: (EvaluationDetail) -> CText) -> UnsafePointer<CChar> {
  Handle<EvaluationDetail>.borrow(detail).map { member($0).pointer } ?? Constants.empty
}
