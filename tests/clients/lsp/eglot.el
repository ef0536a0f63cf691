;;; eglot.el --- Emacs drives `pintle lsp`  -*- lexical-binding: t -*-

;; One code action for real: the agent edits the buffer, the change is shown by Flymake, and an action undoes it. What Emacs would ask a person
;; in the minibuffer is answered on standard input, as batch mode reads it.

(require 'eglot)
(require 'flymake)

(defun check-wait (what holds)
  "Wait until HOLDS returns a value, and return that; WHAT names it.
Emacs 28 leaves a message that came together with a response until another one
comes, so the server is asked something meanwhile."
  (let ((deadline (+ (float-time) 60)) value)
    (while (not (setq value (funcall holds)))
      (when (> (float-time) deadline)
        (error "No %s; the buffer is %S" what (buffer-string)))
      (when (eglot-managed-p)
        (jsonrpc-async-request (eglot--current-server-or-lose) :textDocument/codeLens
                               (list :textDocument (eglot--TextDocumentIdentifier))
                               :success-fn #'ignore))
      (accept-process-output nil 0.05))
    value))

(defun check-diagnostics ()
  "Return the texts of the diagnostics in the buffer."
  (flymake-start)
  (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))

(setq eglot-sync-connect 20
      eglot-autoshutdown nil
      eglot-confirm-server-initiated-edits nil
      make-backup-files nil)
(add-to-list 'eglot-server-programs
             `(text-mode . (,(getenv "PINTLE_BIN") "lsp" "--permission" "full" "--script" ,(getenv "SCRIPT"))))

(find-file "a.txt")
(text-mode)
(apply #'eglot--connect (eglot--guess-contact))
(check-wait "server" #'eglot-managed-p)

;; The only action of its kind begins at once.
(eglot-code-actions (point-min) (point-max) "refactor.rewrite" t)
(check-wait "edit" (lambda () (string-match-p "one, edited" (buffer-string))))
(princ "edited in the buffer\n")
;; A change is open once the person has saved it.
(save-buffer)
(let ((shown (check-wait "diagnostic" #'check-diagnostics)))
  (princ (format "%s\n" (car (split-string (car shown) "\n")))))

;; Standard input chooses between keeping and undoing. A command by key asks there, one by mouse in a menu.
(setq last-nonmenu-event ?\C-c)
(eglot-code-actions (point-min) (point-min) "quickfix" t)
(check-wait "undo" (lambda () (not (string-match-p "edited" (buffer-string)))))
(princ "undone in the buffer\n")
(save-buffer)
(check-wait "end of the diagnostic" (lambda () (null (check-diagnostics))))
(princ "no change is left\n")
(eglot-shutdown (eglot-current-server))
