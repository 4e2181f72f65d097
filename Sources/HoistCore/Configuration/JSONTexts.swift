internal import HoistJSON

/// Property values that are written as JSON.
enum JSONTexts {
  static func map(_ text: String) -> [String: String]? { members(of: text) { $0.string } }

  /// Objects as their JSON text.
  static func options(_ text: String) -> [String: String]? {
    members(of: text) { value in
      value.string ?? (value.object == nil ? nil : (try? value.text()).map { String(decoding: $0, as: UTF8.self) })
    }
  }

  private static func members(of text: String, read: (JSONValue) -> String?) -> [String: String]? {
    guard let document = try? JSONDocument(parsing: text) else { return nil }
    return document.withRoot { root in
      guard let object = root.object else { return nil }
      var map: [String: String] = [:]
      for (key, value) in object {
        guard let text = read(value) else { return nil }
        map[key.string] = text
      }
      return map
    }
  }

  static func text(_ map: [String: String]) -> String {
    var writer = JSONWriter()
    writer.object { writer in
      for (name, value) in map.sorted(by: { $0.key < $1.key }) { writer.member(name, value) }
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  static func list(_ text: String) -> [String]? {
    guard let document = try? JSONDocument(parsing: text) else { return nil }
    return document.withRoot { root in
      guard let array = root.array else { return nil }
      let texts = array.compactMap(\.string)
      return texts.count == array.count ? texts : nil
    }
  }

  static func isJSON(_ text: String) -> Bool { (try? JSONDocument(parsing: text)) != nil }
}
