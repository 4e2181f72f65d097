/// One row of a module's property table: what code, documentation and `hoist config` read.
public struct Property: Sendable {
  public enum Kind: Sendable, Equatable {
    case text
    /// A text that is never shown again.
    case secret
    /// A URL; user and password in it are never shown again.
    case address
    case boolean
    case integer(ClosedRange<Int64>)
    case choice([String])
    /// A JSON object of texts.
    case textMap
    /// Headers of requests: a JSON object of texts that are never shown again.
    case headers
    /// Options by name: a JSON object of texts or objects, which are never shown again.
    case options
    /// A JSON array of texts.
    case textList
    /// Any JSON.
    case json

    /// Whether a value that is refused may be repeated in a message.
    var isPlain: Bool {
      switch self {
      case .boolean, .integer, .choice: true
      case .text, .secret, .address, .textMap, .headers, .options, .textList, .json: false
      }
    }
  }

  public var name: String
  public var kind: Kind
  /// As text, the way a host would set it; nil when there is none.
  public var defaultValue: String?
  public var isRequired: Bool
  /// One sentence, with units.
  public var meaning: String

  public init(_ name: String, _ kind: Kind, default defaultValue: String? = nil, required: Bool = false, _ meaning: String) {
    self.name = name
    self.kind = kind
    self.defaultValue = defaultValue
    self.isRequired = required
    self.meaning = meaning
  }

  public var kindName: String {
    switch kind {
    case .text, .address: "text"
    case .secret: "secret"
    case .boolean: "boolean"
    case .integer: "integer"
    case .choice: "choice"
    case .textMap, .headers, .options: "object"
    case .textList: "list"
    case .json: "json"
    }
  }

  public var range: String {
    switch kind {
    case .integer(let range): "\(range.lowerBound)…\(range.upperBound)"
    case .choice(let choices): choices.joined(separator: " | ")
    case .boolean: "true | false"
    case .textMap, .headers: "JSON object of texts"
    case .options: "JSON object of objects or texts"
    case .textList: "JSON array of texts"
    case .json: "any JSON"
    case .text, .secret, .address: ""
    }
  }
}

/// A property that was refused: which one, and what is wrong with it.
public struct ConfigurationFailure: Error, Sendable, Equatable {
  public var property: String
  public var message: String
  public init(_ property: String, _ message: String) {
    self.property = property
    self.message = message
  }
}
