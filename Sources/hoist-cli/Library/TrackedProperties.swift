import CHoist
import Glibc

/// The properties of one event, in memory that C can read.
final class TrackedProperties {
  enum Value {
    case text(String), number(Double), boolean(Bool), json(String)

    var text: String {
      switch self {
      case .text(let text), .json(let text): text
      case .number(let number): "\(number)"
      case .boolean(let truth): "\(truth)"
      }
    }

    /// nil for what is none, and for texts that spell none.
    var number: Double? { if case .number(let number) = self { number } else { Double(text) } }
  }

  typealias Property = (name: String, value: Value)

  private let table: UnsafeMutableBufferPointer<hoist_event_property>

  /// - Parameter texts: copied.
  init(_ properties: [Property]) {
    table = .allocate(capacity: properties.count)
    for (index, property) in properties.enumerated() {
      var told = hoist_event_property()
      told.struct_size = MemoryLayout<hoist_event_property>.size
      told.name = UnsafePointer(strdup(property.name))
      switch property.value {
      case .text(let text): told.text = UnsafePointer(strdup(text))
      case .number(let number): (told.type, told.number) = (Int32(HOIST_EVENT_NUMBER), number)
      case .boolean(let truth): (told.type, told.boolean) = (Int32(HOIST_EVENT_BOOL), truth)
      case .json(let text): (told.type, told.text) = (Int32(HOIST_EVENT_JSON), UnsafePointer(strdup(text)))
      }
      table.initializeElement(at: index, to: told)
    }
  }

  deinit {
    for property in table {
      free(UnsafeMutablePointer(mutating: property.name))
      free(UnsafeMutablePointer(mutating: property.text))
    }
    table.deallocate()
  }

  func withTable(value: Double?, _ body: (UnsafePointer<hoist_event>) -> hoist_status) -> hoist_status {
    var event = hoist_event()
    event.struct_size = MemoryLayout<hoist_event>.size
    event.value = value ?? 0
    event.has_value = value != nil
    event.properties = UnsafePointer(table.baseAddress)
    event.property_count = table.count
    return withExtendedLifetime(self) { body(&event) }
  }

  static func parse(_ property: String) throws -> Property {
    guard let (name, value, isTyped) = Assignment.parts(property) else {
      throw Problem(.usage, "--property \(property): is not of the form name=text or name:=JSON")
    }
    guard isTyped else { return (name, .text(value)) }
    if let number = Double(value), number.isFinite, !name.isEmpty {
      // Beyond this a double would alter a whole number.
      return (name, number.magnitude < 0x1p53 ? .number(number) : .json(value))
    }
    if value == "true" || value == "false" { return (name, .boolean(value == "true")) }
    guard value == "null" || value.utf8.first.map({ "{[\"".utf8.contains($0) }) == true, !name.isEmpty else {
      throw Problem(.usage, "--property \(property): is not of the form name:=JSON")
    }
    return (name, .json(value))
  }
}
