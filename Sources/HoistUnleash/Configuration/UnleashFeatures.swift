public import HoistBase
public import HoistCore

/// A configuration ready to be served.
public struct UnleashCompilation {
  /// Owned by the receiver: publish it, or `destroy` it.
  public let snapshot: Snapshot
  /// Flags that are off because their rules cannot be compiled. Of a name given twice, the first flag may be
  /// among them although the last one counts.
  public let warnings: [UnleashWarning]
}

/// Client-features documents of backend mode.
public enum UnleashFeatures {
  /// Compiles a whole document: `{"version":2,"features":[…],"segments":[…]}`.
  ///
  /// Refuses what the vendor's engine refuses (protocols/unleash.md B.6), and documents beyond the limits.
  /// - Parameter bytes: borrowed for the call.
  public static func compile(
    _ bytes: some ByteSource, _ options: UnleashOptions
  ) throws(UnleashDocumentFailure) -> UnleashCompilation {
    try bytes.withBytes { bytes in
      Result { () throws(UnleashDocumentFailure) in try compile(bytes, options) }
    }.get()
  }

  private static func compile(
    _ bytes: ByteView, _ options: UnleashOptions
  ) throws(UnleashDocumentFailure) -> UnleashCompilation {
    let document = try FeatureDocument(DocumentParts(bytes, options.limits))
    var compiler = FeatureCompiler(options, expectedBytes: bytes.count)
    try document.forEachSegment { segment, _ in compiler.add(segment) }
    try document.forEachFeature { feature, _ in compiler.add(feature) }
    guard let (snapshot, warnings) = compiler.finish() else {
      throw UnleashDocumentFailure("the configuration is too large, or memory has run out")
    }
    return UnleashCompilation(snapshot: snapshot, warnings: warnings)
  }
}
