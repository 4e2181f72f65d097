import CHoist

/// A hit of any kind: made with what the command names, completed by its properties, sent by the client's visitor.
final class FlagshipHit {
  static let kinds = ["event", "screen", "page", "transaction", "item"]

  private let handle: OpaquePointer

  private enum Setter: Sendable {
    case text(@Sendable (OpaquePointer?, UnsafePointer<CChar>?) -> hoist_status)
    case number(@Sendable (OpaquePointer?, Double) -> hoist_status)
    case whole(@Sendable (OpaquePointer?, Int64) -> hoist_status)
  }

  private static let setters: [(name: String, set: Setter)] = [
    ("location", .text(hoist_flagship_hit_set_location)), ("user_ip", .text(hoist_flagship_hit_set_user_ip)),
    ("screen_resolution", .text(hoist_flagship_hit_set_screen_resolution)),
    ("screen_color_depth", .text(hoist_flagship_hit_set_screen_color_depth)),
    ("user_language", .text(hoist_flagship_hit_set_user_language)),
    ("session_number", .whole(hoist_flagship_hit_set_session_number)),
    ("revenue", .number(hoist_flagship_hit_set_revenue)), ("shipping", .number(hoist_flagship_hit_set_shipping)),
    ("tax", .number(hoist_flagship_hit_set_tax)), ("currency", .text(hoist_flagship_hit_set_currency)),
    ("payment_method", .text(hoist_flagship_hit_set_payment_method)),
    ("shipping_method", .text(hoist_flagship_hit_set_shipping_method)),
    ("item_count", .whole(hoist_flagship_hit_set_item_count)), ("coupon_code", .text(hoist_flagship_hit_set_coupon_code)),
    ("price", .number(hoist_flagship_hit_set_price)), ("quantity", .whole(hoist_flagship_hit_set_quantity)),
    ("category", .text(hoist_flagship_hit_set_category)), ("label", .text(hoist_flagship_hit_set_label)),
    ("value", .whole(hoist_flagship_hit_set_value)),
  ]

  /// - Parameter name: the event's action, the screen, the page's URL, or the transaction's id.
  init(_ kind: String, _ name: String, _ properties: [TrackedProperties.Property]) throws {
    var rest = properties
    func taken(_ name: String) -> String? {
      rest.firstIndex { $0.name == name }.map { rest.remove(at: $0) }.map(\.value.text)
    }
    let made: OpaquePointer?
    switch kind {
    case "screen": made = hoist_flagship_hit_new_screen(name)
    case "page": made = hoist_flagship_hit_new_page(name)
    case "transaction": made = hoist_flagship_hit_new_transaction(name, taken("affiliation") ?? "")
    case "item": made = hoist_flagship_hit_new_item(name, taken("name") ?? "", taken("code") ?? "")
    default:
      let isEngagement = taken("category") == "User Engagement"
      let category = isEngagement ? HOIST_FLAGSHIP_USER_ENGAGEMENT : HOIST_FLAGSHIP_ACTION_TRACKING
      made = hoist_flagship_hit_new_event(hoist_flagship_category(category), name)
    }
    guard let made else { throw Problem(.usage, "--hit \(kind): \"\(name)\" is no text") }
    handle = made
    for property in rest { try set(property, of: kind) }
  }

  deinit { hoist_flagship_hit_free(handle) }

  private func set(_ property: TrackedProperties.Property, of kind: String) throws {
    guard let setter = Self.setters.first(where: { $0.name == property.name })?.set else {
      throw Problem(.usage, "--property \(property.name): hits know \(Self.setters.map(\.name).joined(separator: ", "))")
    }
    let number = property.value.number
    let status =
      switch setter {
      case .text(let set): set(handle, property.value.text)
      case .number(let set): number.map { set(handle, $0) } ?? hoist_status(HOIST_ERR_ARGUMENT)
      case .whole(let set): number.flatMap { Int64(exactly: $0) }.map { set(handle, $0) } ?? hoist_status(HOIST_ERR_ARGUMENT)
      }
    if status != HOIST_OK {
      throw Problem(.usage, "--property \(property.name): is not for a hit of kind \(kind), or no such value")
    }
  }

  /// By the visitor that decisions are asked for, or by one of this context.
  func send(_ client: OpaquePointer, for context: Context) throws -> hoist_status {
    var visitor = hoist_flagship_shared_visitor(client)
    defer { hoist_flagship_visitor_free(visitor) }
    var error: OpaquePointer?
    if visitor == nil {
      var options = hoist_flagship_visitor_options()
      options.struct_size = MemoryLayout<hoist_flagship_visitor_options>.size
      options.id = context.targetingKey
      options.has_consented = true
      options.instance = Int32(HOIST_FLAGSHIP_NEW_INSTANCE)
      options.context = context.handle
      let status = hoist_flagship_visitor_new(client, &options, &visitor, &error)
      guard status == HOIST_OK else { throw Problem(status: status, error: error) }
    }
    let status = hoist_flagship_visitor_send_hit(visitor, handle, &error)
    if status != HOIST_OK { throw Problem(status: status, error: error) }
    return status
  }
}
