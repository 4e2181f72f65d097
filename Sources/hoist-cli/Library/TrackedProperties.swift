import CHoist
import Glibc

/// The properties of one event, in memory that C can read.
final class TrackedProperties {
  typealias Property = (name: String, text: String?, number: Double)

  private let table: UnsafeMutableBufferPointer<hoist_property>

  /// - Parameter texts: copied.
  init(_ properties: [Property]) {
    table = .allocate(capacity: properties.count)
    for (index, property) in properties.enumerated() {
      let name = UnsafePointer(strdup(property.name))
      let text = property.text.map { UnsafePointer(strdup($0)) } ?? nil
      table.initializeElement(at: index, to: hoist_property(name: name, text: text, number: property.number))
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
    guard let (name, value, isNumber) = Assignment.parts(property) else {
      throw Problem(.usage, "--property \(property): is not of the form name=value or name:=number")
    }
    guard isNumber else { return (name, value, 0) }
    guard let number = Double(value), number.isFinite, !name.isEmpty else {
      throw Problem(.usage, "--property \(property): is not of the form name:=number")
    }
    return (name, nil, number)
  }
}
