/// Names an attribute of a context, or a member deeper in one (protocols/launchdarkly.md 3.5 "Attribute references").
///
/// Text that does not begin with a slash is the name itself. After a slash come the members' names, one level after
/// another, in which `~1` means a slash and `~0` a tilde. Elements of arrays have no references.
public struct AttributeReference: Sendable {
  /// What is wrong with a reference.
  public enum Failure: Sendable, Equatable {
    case empty
    /// A slash at the end, or two adjacent ones.
    case emptyName
    /// A tilde that is not followed by 0 or 1.
    case invalidEscape

    /// For people, after the reference.
    public var reason: String {
      switch self {
      case .empty: "is empty"
      case .emptyName: "has an empty name: two slashes in a row, or one at its end"
      case .invalidEscape: "has a tilde that is followed by neither 0 nor 1"
      }
    }
  }

  public let raw: String
  /// Empty for a reference that is not valid.
  public let components: [String]
  public let failure: Failure?

  public var isValid: Bool { failure == nil }

  public init(_ text: String) {
    raw = text
    guard text.utf8.first == UInt8(ascii: "/") else {
      components = text.isEmpty ? [] : [text]
      failure = text.isEmpty ? .empty : nil
      return
    }
    var names: [String] = []
    let parts = text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    if parts.count == 1, parts.first?.isEmpty ?? true {
      (components, failure) = ([], .empty)
      return
    }
    for part in parts {
      if part.isEmpty {
        (components, failure) = ([], .emptyName)
        return
      }
      guard let name = Self.unescaped(part) else {
        (components, failure) = ([], .invalidEscape)
        return
      }
      names.append(name)
    }
    (components, failure) = (names, nil)
  }

  /// A reference to an attribute of this very name, whatever is in it.
  public init(literal name: String) {
    raw = Self.reference(to: name)
    components = name.isEmpty ? [] : [name]
    failure = name.isEmpty ? .empty : nil
  }

  /// The text of a reference to an attribute of this name.
  static func reference(to name: String) -> String {
    guard name.utf8.first == UInt8(ascii: "/") else { return name }
    var text: [UInt8] = [UInt8(ascii: "/")]
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "~"): text += [UInt8(ascii: "~"), UInt8(ascii: "0")]
      case UInt8(ascii: "/"): text += [UInt8(ascii: "~"), UInt8(ascii: "1")]
      default: text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func unescaped(_ part: Substring.UTF8View) -> String? {
    guard part.contains(UInt8(ascii: "~")) else { return String(part) }
    var name: [UInt8] = []
    var rest = part.makeIterator()
    while let byte = rest.next() {
      guard byte == UInt8(ascii: "~") else {
        name.append(byte)
        continue
      }
      switch rest.next() {
      case UInt8(ascii: "0"): name.append(UInt8(ascii: "~"))
      case UInt8(ascii: "1"): name.append(UInt8(ascii: "/"))
      default: return nil
      }
    }
    return String(decoding: name, as: UTF8.self)
  }
}

extension AttributeReference: Equatable {
  /// Whatever their spelling, two valid references to one place are equal, and two with the same fault.
  public static func == (left: AttributeReference, right: AttributeReference) -> Bool {
    left.failure == right.failure && left.components.count == right.components.count
      && zip(left.components, right.components).allSatisfy { $0.hasSameBytes(as: $1) }
  }
}
