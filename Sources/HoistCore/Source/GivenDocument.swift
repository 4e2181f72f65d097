/// A document of the host's own, as a property holds it or a file that a property names.
public struct GivenDocument: Sendable {
  private let bytes: [UInt8]?
  private let path: String
  private let property: String
  private let limitBytes: Int

  /// - Parameters:
  ///   - bytes: nil for none.
  ///   - path: of the file that is read where there are no bytes; "" for none.
  ///   - property: which names the file, for messages.
  public init(bytes: [UInt8]?, path: String, property: String, limitBytes: Int) {
    self.bytes = bytes
    self.path = path
    self.property = property
    self.limitBytes = limitBytes
  }

  public var exists: Bool { bytes != nil || !path.isEmpty }

  /// - Parameter log: is warned of a file that other users may change.
  /// - Returns: nil when nothing is given.
  public func read(_ log: Log) throws(FetchFailure) -> [UInt8]? {
    if let bytes { return bytes }
    if path.isEmpty { return nil }
    do throws(FileContent.Failure) {
      return try FileContent.read(path: path, limitBytes: limitBytes) { log.warning("\(property): \($0)") }
    } catch {
      throw FetchFailure(.io, "\(property): \(error.message)")
    }
  }
}
