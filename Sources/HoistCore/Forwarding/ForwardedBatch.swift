internal import HoistBase

/// A batch that another process has recorded, in the service's own words, as that process's dispatcher has been given it.
public struct ForwardedBatch: Sendable {
  /// Whose it is, as `EventOrigin` has it.
  public var service: String
  public var keyDigest: String
  public var pipeline: String
  public var method: String
  /// `HTTPRequest.shownPath`.
  public var path: String
  /// The same on every attempt, of whichever process.
  public var id: String
  public var body: [UInt8]

  public init(
    service: String, keyDigest: String, pipeline: String, method: String, path: String, id: String, body: [UInt8]
  ) {
    self.service = service
    self.keyDigest = keyDigest
    self.pipeline = pipeline
    self.method = method
    self.path = path
    self.id = id
    self.body = body
  }

  /// A UUID for a service that knows payloads by one: the same for the same batch.
  public var payloadID: String {
    let digest = SHA256.hash(id)
    return UUIDv4(high: digest.bigEndianWord(0), low: digest.bigEndianWord(1)).text
  }
}

/// The way of a batch from another process, as its pipeline's policy says.
public enum ForwardedRequest: Sendable {
  /// The request without what `EventPolicy.prepareForwarded` adds, and how its body is taken apart when it is refused.
  case request(HTTPRequest, BodyDivision)
  /// Not now: why.
  case later(String)
  /// What this pipeline sends only the process that has recorded it can send.
  case unsupported
}

/// What of a body a service may be sent on its own.
public enum BodyDivision: Sendable {
  /// Nothing.
  case none
  /// The elements of a JSON array.
  case elements
  /// The elements of an array that is a member of a JSON object.
  case elementsOf(StaticString)
  case lines
}

/// What became of a batch.
public struct ForwardResult: Sendable {
  public var status: Status
  /// Why, in one line; "" for `.ok`.
  public var message = ""
  /// With `.rejected`: what was refused, as a body of its own.
  public var refused: [UInt8] = []
}

extension HTTPRequest {
  /// The path of the address, without what may be a key.
  public var shownPath: String {
    if let shown = shownURL { return (try? URLText(shown))?.path ?? "" }
    return URLText.redacted(path: (try? URLText(url))?.path ?? "")
  }
}
