internal import HoistBase
public import HoistCore

extension DocumentCompiler {
  /// What is to be compiled from now on waits, be it large or small, until `true` is given.
  public func hold() -> Completion<Bool> {
    let isOver = Completion<Bool>()
    compile(bytes: DocumentCompiler.largeBytes) {
      _ = isOver.wait(untilNanoseconds: .max)
    } completion: {
    }
    return isOver
  }
}
