import CHoist

/// A visitor with data that attributes cannot say; the core's calls know what is known of a visitor code.
final class KameleoonSubject {
  private var visitor: OpaquePointer?

  init(_ client: OpaquePointer, _ context: Context, _ options: ContextOptions) throws {
    var error: OpaquePointer?
    let status = hoist_kameleoon_visitor_new(client, context.targetingKey, &visitor, &error)
    guard status == HOIST_OK else { throw Problem(status: status, error: error) }
    for json in options.data { try add(json) }
    if let history = options.history { try add(history: history) }
    if let consent = options.consent { _ = hoist_kameleoon_visitor_set_legal_consent(visitor, consent == "yes") }
  }

  deinit { hoist_kameleoon_visitor_free(visitor) }

  /// For targeting alone: nothing is sent.
  private func add(history: String) throws {
    let json = try history.utf8.first == UInt8(ascii: "{") ? Array(history.utf8) : InputFile.read(history, for: "--history")
    var error: OpaquePointer?
    let status = json.withUnsafeBytes {
      hoist_kameleoon_visitor_add_remote_visitor_data(
        visitor, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, false, &error)
    }
    if status == HOIST_OK || status == HOIST_ERR_UNSAVED { return }
    defer { hoist_error_free(error) }
    throw Problem(.usage, "--history: \(String(cString: hoist_error_message(error)))")
  }

  /// For targeting alone: nothing is sent.
  private func add(_ json: String) throws {
    var error: OpaquePointer?
    guard let datum = hoist_kameleoon_data_from_json(json, json.utf8.count, &error) else {
      let reason = String(cString: hoist_error_message(error))
      hoist_error_free(error)
      throw Problem(.usage, "--data \(json): \(reason); a datum is e.g. {\"type\":\"Device\",\"device\":\"PHONE\"}")
    }
    defer { hoist_kameleoon_data_free(datum) }
    var list: OpaquePointer? = datum
    let status = hoist_kameleoon_visitor_add_data(visitor, &list, 1, false)
    guard status == HOIST_OK || status == HOIST_ERR_UNSAVED else { throw Problem(status: status, error: nil) }
  }
}
