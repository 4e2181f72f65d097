public import HoistBase
internal import HoistJSON

/// Property tables and values as JSON.
public enum PropertyListing {
  /// The table as an array of objects: name, type, default, range, required, secret, meaning.
  public static func json(_ table: [Property]) -> [UInt8] {
    var writer = JSONWriter()
    writer.array { writer in
      for property in table {
        writer.object { writer in
          func text(_ name: String, _ value: String) {
            writer.member(name, value)
          }
          text("name", property.name)
          text("type", property.kindName)
          writer.key("default")
          if let value = property.defaultValue { writer.string(value) } else { writer.null() }
          text("range", property.range)
          writer.member("required", property.isRequired)
          writer.member("secret", property.kind == .secret)
          text("meaning", property.meaning)
        }
      }
    }
    return writer.bytes
  }

  public struct Failure: Error, Sendable {
    public var message: String
    /// Whether the text is no JSON object at all, rather than a property refused.
    public var isUnreadable: Bool
  }

  /// Values with every member of a JSON object set; objects and arrays are passed on as JSON text.
  public static func applying(_ json: ByteView, to values: PropertyValues) throws(Failure) -> PropertyValues {
    let document: JSONDocument
    do {
      document = try JSONDocument(parsing: json)
    } catch {
      throw Failure(message: "the configuration cannot be read: \(error)", isUnreadable: true)
    }
    return try document.withRoot { root throws(Failure) in
      guard let object = root.object else {
        throw Failure(message: "the configuration is no JSON object", isUnreadable: true)
      }
      var changed = values
      for (key, value) in object {
        if value.isNull, changed.property(key.string)?.kind != .json {
          throw Failure(message: "property \"\(key.string.prefix(80))\" is null", isUnreadable: false)
        }
        do throws(ConfigurationFailure) {
          let json = (try? value.text()).map { String(decoding: $0, as: UTF8.self) }
          try changed.set(key.string, value.string ?? json ?? "")
        } catch {
          throw Failure(message: error.message, isUnreadable: false)
        }
      }
      return changed
    }
  }
}
