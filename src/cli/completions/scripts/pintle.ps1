# Completes pintle in PowerShell.

Register-ArgumentCompleter -Native -CommandName @NAME@ -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    # The words as they are written: nothing in them is evaluated.
    $words = @()
    foreach ($element in $commandAst.CommandElements) {
        if ($element.Extent.StartOffset -ge $cursorPosition) { break }
        if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) {
            $words += $element.Value
        } else {
            $words += $element.Extent.Text
        }
    }
    # Some versions pass no empty arguments.
    $next = @()
    if ($wordToComplete -eq '') { $next += '--next' }

    foreach ($line in (& @PROGRAM@ complete @next -- @words 2>$null)) {
        $fields = $line.Split("`t", 2)
        # PowerShell completes paths if nothing is returned.
        if ($fields[0] -eq '') { continue }
        $text = $fields[0]
        if ($fields.Length -gt 1) { $text = $fields[1] }
        [System.Management.Automation.CompletionResult]::new($fields[0], $fields[0], 'ParameterValue', $text)
    }
}
