public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistOptimizely

@_cdecl("hoist_optimizely_user_decide") @implementation
public func hoist_optimizely_user_decide(
  _ user: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ options: hoist_optimizely_options
) -> OpaquePointer? {
  let decided = Handle<OptimizelyUser>.with(user) { user in
    CallersKeys.with(key) { user.decide($0, DecideOptions(caller: options)) }
  }
  return decided.map { Handle<OwnedDecision>.give($0) }
}

@_cdecl("hoist_optimizely_user_decide_for_keys") @implementation
public func hoist_optimizely_user_decide_for_keys(
  _ user: OpaquePointer?, _ keys: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int,
  _ options: hoist_optimizely_options
) -> OpaquePointer? {
  guard let user = Handle<OptimizelyUser>.borrow(user) else { return nil }
  return Handle<OwnedDecisions>.give(user.decide(keys: CallersKeys.list(keys, count), DecideOptions(caller: options)))
}

@_cdecl("hoist_optimizely_user_decide_all") @implementation
public func hoist_optimizely_user_decide_all(_ user: OpaquePointer?, _ options: hoist_optimizely_options) -> OpaquePointer? {
  guard let user = Handle<OptimizelyUser>.borrow(user) else { return nil }
  return Handle<OwnedDecisions>.give(user.decideAll(DecideOptions(caller: options)))
}

@_cdecl("hoist_optimizely_user_explain") @implementation
public func hoist_optimizely_user_explain(_ user: OpaquePointer?, _ key: UnsafePointer<CChar>?) -> OpaquePointer? {
  let explained = Handle<OptimizelyUser>.with(user) { user in CallersKeys.with(key) { user.explanation($0) } }
  return explained.map { TextHandle.give($0, orElse: "null") }
}

@_cdecl("hoist_optimizely_user_decide_async") @implementation
public func hoist_optimizely_user_decide_async(
  _ user: OpaquePointer?, _ keys: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int,
  _ options: hoist_optimizely_options, _ done: hoist_optimizely_decided?, _ user_data: UnsafeMutableRawPointer?
) -> hoist_status {
  guard let user = Handle<OptimizelyUser>.borrow(user), count >= 0, keys != nil || count == 0,
    CallersKeys.areValid(keys, count)
  else { return Status.argument.rawValue }
  let data = UserData(user_data)
  return user.decideAsync(keys: keys == nil ? nil : CallersKeys.list(keys, count), DecideOptions(caller: options)) {
    status, decisions in
    withExtendedLifetime(decisions) {
      done?(data.pointer, status.rawValue, status == .ok ? decisions.map { Handle.lent($0) } : nil)
    }
  }.rawValue
}

@_cdecl("hoist_optimizely_user_decide_wait") @implementation
public func hoist_optimizely_user_decide_wait(
  _ user: OpaquePointer?, _ keys: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int,
  _ options: hoist_optimizely_options, _ timeout_ms: Int64
) -> OpaquePointer? {
  guard let user = Handle<OptimizelyUser>.borrow(user) else { return nil }
  let keys = keys == nil && count == 0 ? nil : CallersKeys.list(keys, count)
  return Handle<OwnedDecisions>.give(
    user.decideAndWait(keys: keys, DecideOptions(caller: options), timeoutMilliseconds: timeout_ms))
}

extension DecideOptions {
  /// Options as C gives them: those of the service, and no other bits.
  @inline(__always)
  init(caller bits: hoist_optimizely_options) { self.init(rawValue: bits & 0xFF) }
}

/// Flag keys as C gives them. Invalid UTF-8 is repaired, so that it names no flag and every result can be returned.
private enum CallersKeys {
  static let maximumCount = 1 << 20

  @inline(__always)
  static func with<Result>(_ key: UnsafePointer<CChar>?, _ body: (ByteView) -> Result) -> Result {
    guard let key else { return body(ByteView(start: nil, count: 0)) }
    let bytes = CString.bytes(key)
    if UTF8Text.isValid(bytes) { return body(bytes) }
    return UTF8Text.repaired(bytes).withBytes(body)
  }

  /// Without those that are NULL; none of a list that cannot be one.
  static func list(_ keys: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int) -> [[UInt8]] {
    guard let keys, count >= 0, count <= maximumCount else { return [] }
    return (0..<count).compactMap { index in keys[index].map { key in with(key) { Array($0) } } }
  }

  static func areValid(_ keys: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int) -> Bool {
    guard let keys else { return true }
    return count <= maximumCount && (0..<count).allSatisfy { CString.view(keys[$0]) != nil }
  }
}

@_cdecl("hoist_optimizely_decision_flag_key") @implementation
public func hoist_optimizely_decision_flag_key(_ decision: OpaquePointer?) -> UnsafePointer<CChar>? {
  text(decision) { $0.flagKey }
}

@_cdecl("hoist_optimizely_decision_variation_key") @implementation
public func hoist_optimizely_decision_variation_key(_ decision: OpaquePointer?) -> UnsafePointer<CChar>? {
  text(decision) { $0.variationKey }
}

@_cdecl("hoist_optimizely_decision_rule_key") @implementation
public func hoist_optimizely_decision_rule_key(_ decision: OpaquePointer?) -> UnsafePointer<CChar>? {
  text(decision) { $0.ruleKey }
}

@_cdecl("hoist_optimizely_decision_enabled") @implementation
public func hoist_optimizely_decision_enabled(_ decision: OpaquePointer?) -> Bool {
  Handle<OwnedDecision>.borrow(decision)?.enabled ?? false
}

@_cdecl("hoist_optimizely_decision_variables") @implementation
public func hoist_optimizely_decision_variables(_ decision: OpaquePointer?) -> UnsafePointer<CChar>? {
  Handle<OwnedDecision>.borrow(decision).map { $0.variables.chars ?? Constants.pointer("{}") }
}

@_cdecl("hoist_optimizely_decision_reason_count") @implementation
public func hoist_optimizely_decision_reason_count(_ decision: OpaquePointer?) -> Int {
  Handle<OwnedDecision>.borrow(decision)?.reasonCount ?? 0
}

@_cdecl("hoist_optimizely_decision_reason") @implementation
public func hoist_optimizely_decision_reason(_ decision: OpaquePointer?, _ index: Int) -> UnsafePointer<CChar>? {
  guard let decision = Handle<OwnedDecision>.borrow(decision), index >= 0, index < decision.reasonCount else { return nil }
  return decision.reasons[index].pointer
}

@_cdecl("hoist_optimizely_decision_bool") @implementation
public func hoist_optimizely_decision_bool(
  _ decision: OpaquePointer?, _ variable: UnsafePointer<CChar>?, _ value: UnsafeMutablePointer<Bool>?
) -> hoist_status {
  variableValue(decision, variable, value) { if case .boolean(let truth) = $0 { truth } else { nil } }
}

@_cdecl("hoist_optimizely_decision_int64") @implementation
public func hoist_optimizely_decision_int64(
  _ decision: OpaquePointer?, _ variable: UnsafePointer<CChar>?, _ value: UnsafeMutablePointer<Int64>?
) -> hoist_status {
  variableValue(decision, variable, value) { if case .integer(let whole) = $0 { whole } else { nil } }
}

@_cdecl("hoist_optimizely_decision_double") @implementation
public func hoist_optimizely_decision_double(
  _ decision: OpaquePointer?, _ variable: UnsafePointer<CChar>?, _ value: UnsafeMutablePointer<Double>?
) -> hoist_status {
  variableValue(decision, variable, value) { if case .double(let number) = $0 { number } else { nil } }
}

@_cdecl("hoist_optimizely_decision_string") @implementation
public func hoist_optimizely_decision_string(
  _ decision: OpaquePointer?, _ variable: UnsafePointer<CChar>?
) -> UnsafePointer<CChar>? {
  guard let decision = Handle<OwnedDecision>.borrow(decision) else { return nil }
  guard let key = CString.view(variable), case .string(let text) = decision.json?.variable(key) else { return Constants.empty }
  // Inside the decision's own document, with a NUL behind it.
  return text.chars ?? Constants.empty
}

private func variableValue<Value>(
  _ decision: OpaquePointer?, _ variable: UnsafePointer<CChar>?, _ value: UnsafeMutablePointer<Value>?,
  _ pick: (OptimizelyValue) -> Value?
) -> hoist_status {
  guard let decision = Handle<OwnedDecision>.borrow(decision), let key = CString.view(variable) else {
    return Status.argument.rawValue
  }
  guard let found = decision.json?.variable(key) else { return Status.optimizelyVariableKeyInvalid.rawValue }
  guard let picked = pick(found) else { return Status.optimizelyVariableValueInvalid.rawValue }
  value?.pointee = picked
  return Status.ok.rawValue
}

@_cdecl("hoist_optimizely_decision_value") @implementation
public func hoist_optimizely_decision_value(_ decision: OpaquePointer?, _ path: UnsafePointer<CChar>?) -> OpaquePointer? {
  guard let decision = Handle<OwnedDecision>.borrow(decision) else { return nil }
  let path = path == nil ? .noBytes : CString.view(path)
  return path.flatMap { decision.json?.value(atPath: $0) }.map { TextHandle.give($0) } ?? TextHandle.give("null" as StaticString)
}

@_cdecl("hoist_optimizely_decision_user") @implementation
public func hoist_optimizely_decision_user(_ decision: OpaquePointer?) -> OpaquePointer? {
  (Handle<OwnedDecision>.borrow(decision)?.user).map { Handle<OptimizelyUser>.give($0) }
}

@_cdecl("hoist_optimizely_decision_to_json") @implementation
public func hoist_optimizely_decision_to_json(_ decision: OpaquePointer?) -> OpaquePointer? {
  Handle<OwnedDecision>.borrow(decision).map { TextHandle.give($0.text()) }
}

@_cdecl("hoist_optimizely_decision_copy") @implementation
public func hoist_optimizely_decision_copy(_ decision: OpaquePointer?) -> OpaquePointer? {
  Handle<OwnedDecision>.borrow(decision).map { Handle<OwnedDecision>.give($0) }
}

@_cdecl("hoist_optimizely_decision_free") @implementation
public func hoist_optimizely_decision_free(_ decision: OpaquePointer?) { Handle<OwnedDecision>.take(decision) }

/// A text inside the decision, with a NUL behind it.
private func text(_ decision: OpaquePointer?, _ member: (OwnedDecision) -> ByteView?) -> UnsafePointer<CChar>? {
  Handle<OwnedDecision>.borrow(decision).map { member($0)?.chars ?? Constants.empty }
}

@_cdecl("hoist_optimizely_decisions_count") @implementation
public func hoist_optimizely_decisions_count(_ decisions: OpaquePointer?) -> Int {
  Handle<OwnedDecisions>.borrow(decisions)?.decisions.count ?? 0
}

@_cdecl("hoist_optimizely_decisions_at") @implementation
public func hoist_optimizely_decisions_at(_ decisions: OpaquePointer?, _ index: Int) -> OpaquePointer? {
  guard let list = Handle<OwnedDecisions>.borrow(decisions)?.decisions, list.indices.contains(index) else { return nil }
  return Handle.lent(list[index])
}

@_cdecl("hoist_optimizely_decisions_find") @implementation
public func hoist_optimizely_decisions_find(_ decisions: OpaquePointer?, _ key: UnsafePointer<CChar>?) -> OpaquePointer? {
  key.flatMap { Handle<OwnedDecisions>.borrow(decisions)?.find(CString.bytes($0)) }.map { Handle.lent($0) }
}

@_cdecl("hoist_optimizely_decisions_to_json") @implementation
public func hoist_optimizely_decisions_to_json(_ decisions: OpaquePointer?) -> OpaquePointer? {
  Handle<OwnedDecisions>.borrow(decisions).map { TextHandle.give($0.text()) }
}

@_cdecl("hoist_optimizely_decisions_copy") @implementation
public func hoist_optimizely_decisions_copy(_ decisions: OpaquePointer?) -> OpaquePointer? {
  Handle<OwnedDecisions>.borrow(decisions).map { Handle<OwnedDecisions>.give($0) }
}

@_cdecl("hoist_optimizely_decisions_free") @implementation
public func hoist_optimizely_decisions_free(_ decisions: OpaquePointer?) { Handle<OwnedDecisions>.take(decisions) }
