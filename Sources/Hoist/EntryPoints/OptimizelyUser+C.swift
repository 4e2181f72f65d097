public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistJSON
internal import HoistOptimizely

@_cdecl("hoist_optimizely_option") @implementation
public func hoist_optimizely_option(_ name: UnsafePointer<CChar>?) -> hoist_optimizely_options {
  name.flatMap { DecideOptions(name: CString.bytes($0)) }?.rawValue ?? 0
}

@_cdecl("hoist_optimizely_user_new") @implementation
public func hoist_optimizely_user_new(
  _ client: OpaquePointer?, _ user_id: UnsafePointer<CChar>?, _ attributes: OpaquePointer?
) -> OpaquePointer? {
  result(nil) {
    let id = try CString.optional(user_id, "user_id")
    return try OptimizelyFace.need(client).user(id, attributes: ContextHandle.borrow(attributes)).map { Handle.give($0) }
  }
}

@_cdecl("hoist_optimizely_user_copy") @implementation
public func hoist_optimizely_user_copy(_ user: OpaquePointer?) -> OpaquePointer? {
  Handle<OptimizelyUser>.borrow(user).map { Handle<OptimizelyUser>.give($0.copy()) }
}

@_cdecl("hoist_optimizely_user_free") @implementation
public func hoist_optimizely_user_free(_ user: OpaquePointer?) { Handle<OptimizelyUser>.take(user) }

@_cdecl("hoist_optimizely_user_id") @implementation
public func hoist_optimizely_user_id(_ user: OpaquePointer?) -> UnsafePointer<CChar>? {
  Handle<OptimizelyUser>.borrow(user)?.idText.pointer
}

@_cdecl("hoist_optimizely_user_attributes") @implementation
public func hoist_optimizely_user_attributes(_ user: OpaquePointer?) -> OpaquePointer? {
  Handle<OptimizelyUser>.borrow(user).map { TextHandle.give($0.attributesText()) }
}

@_cdecl("hoist_optimizely_user_set_string") @implementation
public func hoist_optimizely_user_set_string(
  _ user: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?
) -> hoist_status {
  set(user, name, CString.array(value).map { .string($0) })
}

@_cdecl("hoist_optimizely_user_set_bool") @implementation
public func hoist_optimizely_user_set_bool(_ user: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: Bool) -> hoist_status {
  set(user, name, .bool(value))
}

@_cdecl("hoist_optimizely_user_set_int64") @implementation
public func hoist_optimizely_user_set_int64(_ user: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: Int64) -> hoist_status
{
  set(user, name, .int(value))
}

@_cdecl("hoist_optimizely_user_set_double") @implementation
public func hoist_optimizely_user_set_double(
  _ user: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: Double
) -> hoist_status {
  set(user, name, .double(value))
}

@_cdecl("hoist_optimizely_user_set_null") @implementation
public func hoist_optimizely_user_set_null(_ user: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> hoist_status {
  set(user, name, .null)
}

@_cdecl("hoist_optimizely_user_set_json") @implementation
public func hoist_optimizely_user_set_json(
  _ user: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ json: UnsafePointer<CChar>?, _ length: Int
) -> hoist_status {
  guard Handle<OptimizelyUser>.borrow(user) != nil, let json, length >= 0, CString.text(name) != nil else {
    return Status.argument.rawValue
  }
  guard let value = ContextJSON.value(UnsafeRawBufferPointer(start: json, count: length)) else {
    return Status.parse.rawValue
  }
  return set(user, name, value)
}

/// - Parameter value: nil for one that C gave wrongly.
private func set(_ user: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: AttributeValue?) -> hoist_status {
  guard let user = Handle<OptimizelyUser>.borrow(user), let name = CString.array(name), let value else {
    return Status.argument.rawValue
  }
  return attempt { try user.set(name, value) }
}

@_cdecl("hoist_optimizely_user_set_forced_decision") @implementation
public func hoist_optimizely_user_set_forced_decision(
  _ user: OpaquePointer?, _ flag_key: UnsafePointer<CChar>?, _ rule_key: UnsafePointer<CChar>?,
  _ variation_key: UnsafePointer<CChar>?
) -> Bool {
  guard let variation = CString.array(variation_key) else { return false }
  return forcing(user, flag_key, rule_key) { $0.setForcedDecision($1, $2, variation) } ?? false
}

@_cdecl("hoist_optimizely_user_forced_decision") @implementation
public func hoist_optimizely_user_forced_decision(
  _ user: OpaquePointer?, _ flag_key: UnsafePointer<CChar>?, _ rule_key: UnsafePointer<CChar>?
) -> OpaquePointer? {
  let variation = forcing(user, flag_key, rule_key) { $0.forcedDecision($1, $2) } ?? nil
  return Handle<OptimizelyUser>.borrow(user).map { _ in TextHandle.give(variation ?? []) }
}

@_cdecl("hoist_optimizely_user_remove_forced_decision") @implementation
public func hoist_optimizely_user_remove_forced_decision(
  _ user: OpaquePointer?, _ flag_key: UnsafePointer<CChar>?, _ rule_key: UnsafePointer<CChar>?
) -> Bool {
  forcing(user, flag_key, rule_key) { $0.removeForcedDecision($1, $2) } ?? false
}

@_cdecl("hoist_optimizely_user_remove_all_forced_decisions") @implementation
public func hoist_optimizely_user_remove_all_forced_decisions(_ user: OpaquePointer?) -> Bool {
  guard let user = Handle<OptimizelyUser>.borrow(user) else { return false }
  user.removeAllForcedDecisions()
  return true
}

/// nil for invalid arguments of a forced decision.
private func forcing<Result>(
  _ user: OpaquePointer?, _ flag_key: UnsafePointer<CChar>?, _ rule_key: UnsafePointer<CChar>?,
  _ body: (OptimizelyUser, [UInt8], [UInt8]?) -> Result
) -> Result? {
  let rule = CString.array(rule_key)
  guard let user = Handle<OptimizelyUser>.borrow(user), let flag = CString.array(flag_key), rule_key == nil || rule != nil
  else { return nil }
  return body(user, flag, rule)
}

@_cdecl("hoist_optimizely_user_track") @implementation
public func hoist_optimizely_user_track(
  _ user: OpaquePointer?, _ event_key: UnsafePointer<CChar>?, _ tags_json: UnsafePointer<CChar>?, _ length: Int,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  OptimizelyTracking.track(event_key, tags_json, length, error) {
    let user = try Handle<OptimizelyUser>.need(user, "user")
    return { user.track($0, tags: $1) }
  }
}

/// Conversions, from every entry point.
enum OptimizelyTracking {
  static func track(
    _ key: UnsafePointer<CChar>?, _ json: UnsafePointer<CChar>?, _ length: Int,
    _ error: UnsafeMutablePointer<OpaquePointer?>?, _ sender: () throws -> (ByteView, JSONValue?) -> Status
  ) -> hoist_status {
    attempt(error) {
      let send = try sender()
      guard let key = CString.view(key) else { throw Refusal(.argument, "event_key is NULL or not UTF-8") }
      guard length >= 0 else { throw Refusal(.argument, CString.wrongLength("tags_json", length)) }
      guard json != nil || length == 0 else { throw Refusal(.argument, "tags_json is NULL, but not its length") }
      var tags: JSONDocument?
      if let json {
        let bytes = UnsafeRawBufferPointer(start: json, count: length)
        guard UTF8Text.isValid(bytes) else { throw Refusal(.argument, "tags_json is not UTF-8") }
        guard let document = try? JSONDocument(parsing: bytes), document.withRoot({ $0.object != nil }) else {
          throw Refusal(.optimizelyEventTagsInvalid, "the tags are no JSON object")
        }
        tags = document
      }
      let status = tags.map { tags in tags.withRoot { send(key, $0) } } ?? send(key, nil)
      if status != .ok { throw Refusal(status, status.optimizelyMessage) }
    }
  }
}

extension Status {
  /// One line about a call of hoist/optimizely.h that failed.
  var optimizelyMessage: String {
    switch self {
    case .optimizelySDKNotReady: "there is no datafile yet, or the client is closed"
    case .optimizelyEventKeyInvalid: "the project has no event of that key"
    case .optimizelyUserIDInvalid: "a user id is needed: the context has no targeting key"
    case .limit: "the queue of events is full; the event is dropped"
    case .state: "the client is closed"
    default: "the call failed"
    }
  }
}
