internal import HoistCore

/// The snapshot's evaluate function: one flag for the visitor of a call's context.
func evaluateFeature(
  _ base: UnsafeRawPointer, _ record: UnsafeRawPointer, _ context: UnsafeRawPointer?, _ out: UnsafeMutableRawPointer
) {
  out.assumingMemoryBound(to: Evaluation.self).pointee.fail(.flagNotFound, "the configuration has no flag of that name")
}
