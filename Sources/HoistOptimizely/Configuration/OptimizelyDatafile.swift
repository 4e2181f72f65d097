public import HoistBase
public import HoistCore
public import HoistJSON

/// Datafiles, as the service sends them.
public enum OptimizelyDatafile {
  /// Compiles a datafile for evaluation.
  ///
  /// What stands at the top is read strictly, the rest leniently; a datafile that is refused leaves whatever is
  /// served as it is (protocols/optimizely.md 2.1).
  /// - Parameter bytes: UTF-8 text, borrowed for the call.
  /// - Returns: a snapshot that belongs to the caller: publish it, or `destroy` it.
  public static func compile(
    _ bytes: some ByteSource, limits: JSONLimits = .standard
  ) throws(OptimizelyDatafileFailure) -> Snapshot {
    try withDatafile(bytes, limits) { datafile, size throws(OptimizelyDatafileFailure) in
      guard let snapshot = DatafileCompiler(datafile, expectedBytes: size).compile() else {
        throw .invalid("too large, or memory has run out")
      }
      return snapshot
    }
  }

  /// Lends a datafile for the length of `body`.
  static func withDatafile<Result>(
    _ bytes: some ByteSource, _ limits: JSONLimits,
    _ body: (Datafile, _ size: Int) throws(OptimizelyDatafileFailure) -> Result
  ) throws(OptimizelyDatafileFailure) -> Result {
    let (outcome, size) = bytes.withBytes { text -> (Swift.Result<JSONDocument, JSONFailure>, Int) in
      // The vendor's parsers take no byte-order mark, which Hoist's does.
      if text.first == 0xEF { return (.failure(JSONFailure(.syntax, "the text does not begin with JSON")), text.count) }
      do throws(JSONFailure) {
        return (.success(try JSONDocument(parsing: text, limits: limits)), text.count)
      } catch {
        return (.failure(error), text.count)
      }
    }
    let document: JSONDocument
    switch outcome {
    case .success(let parsed): document = parsed
    case .failure(let failure): throw .invalid("\(failure)")
    }
    return try document.withRoot { root throws(OptimizelyDatafileFailure) in
      try body(try DatafileReader.read(root), size)
    }
  }
}
