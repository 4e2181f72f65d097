/// Why a text is no document, or a tree no text.
public struct JSONFailure: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Kind: Sendable, Equatable {
    /// Not JSON, or not UTF-8.
    case syntax
    /// Beyond a limit of `JSONLimits`.
    case limit
    /// jansson could not allocate.
    case outOfMemory
  }

  public var kind: Kind
  /// What was wrong, without content of the document: it may be private.
  public var reason: String
  /// Where, if the failure has a place in a text.
  public var position: JSONPosition?

  public init(_ kind: Kind, _ reason: String, at position: JSONPosition? = nil) {
    self.kind = kind
    self.reason = reason
    self.position = position
  }

  /// One line: `byte 1234, line 3: expected ':' after the member name`.
  public var description: String {
    guard let position else { return reason }
    return "byte \(position.byte), line \(position.line): \(reason)"
  }
}

/// A place in a text.
public struct JSONPosition: Sendable, Equatable {
  /// Bytes before it.
  public var byte: Int
  /// From 1.
  public var line: Int
  /// Bytes since the line's start, from 1.
  public var column: Int

  public init(byte: Int, line: Int, column: Int) {
    self.byte = byte
    self.line = line
    self.column = column
  }
}

extension JSONPosition {
  /// - Parameter byte: how many bytes before it stand from `start` on.
  init(of byte: Int, in start: UnsafePointer<UInt8>) {
    var line = 1
    var lineStart = 0
    for index in 0..<byte where start[index] == 0x0A {
      line += 1
      lineStart = index + 1
    }
    self.init(byte: byte, line: line, column: byte - lineStart + 1)
  }
}
